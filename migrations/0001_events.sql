-- The log: what was recorded at each table, never changed afterwards.
--
-- `session` leads every key, so that the table can be distributed by it and whatever is asked about one session is
-- answered in one place. `body` is the canonical JSON that was hashed, as bytes: jsonb would give back others.
-- `client_id` is the client's own id of the event, stored once, for ever.

create table events (
    session uuid not null,
    seq bigint not null,
    body bytea not null,
    hash bytea not null,
    client_id uuid,
    primary key (session, seq),
    constraint events_hash_is_of_body check (hash = sha256(body))
);

create unique index events_client_id on events (session, client_id) where client_id is not null;

-- An event continues the one before it. Looked at when it is inserted, row by row, since a batch continues itself; a
-- trigger keeps its plan where a constraint would be planned with each statement. The messages quote no row.
create function event_continues() returns trigger language plpgsql as $$
declare
    before text;
begin
    if position(convert_to('"session":"' || new.session || '"', 'UTF8') in new.body) = 0
        or position(convert_to('"seq":' || new.seq || ',', 'UTF8') in new.body) = 0 then
        raise exception 'an event is stored in the session and under the number that it carries'
            using errcode = 'BRAG1';
    end if;
    if new.seq = 1 then
        before := repeat('0', 64);
    else
        select encode(hash, 'hex') into before from events where session = new.session and seq = new.seq - 1;
    end if;
    if before is null or position(convert_to('"prev":"' || before || '"', 'UTF8') in new.body) = 0 then
        raise exception 'an event carries the hash of the event before it' using errcode = 'BRAG1';
    end if;
    return new;
end
$$;

create trigger events_continue before insert on events
    for each row execute function event_continues();

create function events_stay() returns trigger language plpgsql as $$
begin
    raise exception 'events are never changed or removed: record a void instead' using errcode = 'BRAG2';
end
$$;

-- For the owner too, and whatever the session says of replication: `always`.
create trigger events_stay before update or delete or truncate on events
    for each statement execute function events_stay();

alter table events enable always trigger events_continue;
alter table events enable always trigger events_stay;
