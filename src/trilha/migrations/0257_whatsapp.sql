-- Reminders by WhatsApp.
ALTER TABLE reminder_deliveries
    DROP CONSTRAINT reminder_deliveries_channel_check,
    ADD CONSTRAINT reminder_deliveries_channel_check
        CHECK (channel IN ('mail', 'web_push', 'teams', 'slack', 'whatsapp')) NOT VALID;
ALTER TABLE reminder_addresses
    DROP CONSTRAINT reminder_addresses_channel_check,
    ADD CONSTRAINT reminder_addresses_channel_check
        CHECK (channel IN ('web_push', 'teams', 'slack', 'whatsapp')) NOT VALID;
