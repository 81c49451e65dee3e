-- The sequence of an event that the statement of its change writes, too. Such a statement sees what was
-- committed when it began, and may have waited for others since; a function that is VOLATILE looks anew each
-- time it is called. `after` is of the row that was changed, so that the call comes after the change.
CREATE FUNCTION next_event_sequence(of_tenant uuid, at timestamptz, after uuid) RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN 1 + GREATEST(
        (extract(epoch FROM at::timestamptz(3)) * 1000000)::bigint,
        (SELECT sequence FROM events WHERE tenant_id = of_tenant ORDER BY sequence DESC LIMIT 1));
END
$$;
