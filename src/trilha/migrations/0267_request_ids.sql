-- The request that caused an event or an e-mail, and the trace that it belongs to (W3C Trace Context). Both are
-- NULL for what workers and commands cause.
ALTER TABLE events ADD COLUMN request_id text, ADD COLUMN traceparent text;
ALTER TABLE mail_messages ADD COLUMN request_id text, ADD COLUMN traceparent text;
