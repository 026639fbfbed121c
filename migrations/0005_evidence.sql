-- What the instance has signed, so that nobody has to take its word: its name and public keys, the log of all
-- sessions' heads, and the checkpoints that were given out. All of it is added to and never changed.
--
-- These belong to the instance, not to a session: they are filled behind the appends, by one process at a time.

create table instance (
    only_one boolean primary key default true,
    origin text not null,
    made_at timestamptz not null default now(),
    constraint instance_is_one check (only_one)
);

-- A public key as it is handed on; `change`: the note by which it followed the one before, signed by both.
create table signing_keys (
    key text primary key,
    change text,
    added_at timestamptz not null default now()
);

-- A leaf of the log is the text of a session's head (events/heads.py), as it was hashed.
create table log_leaves (
    place bigint primary key,
    session uuid not null,
    version bigint not null,
    leaf text not null,
    added_at timestamptz not null default now(),
    constraint log_leaves_place check (place >= 0)
);

create unique index log_leaves_session on log_leaves (session, version);

-- The hashes of the log's perfect subtrees (events/merkle.py): over the leaves from place * 2^level, 2^level of them.
create table log_nodes (
    level bigint not null,
    place bigint not null,
    hash bytea not null,
    primary key (level, place),
    constraint log_nodes_hash check (length(hash) = 32)
);

-- Checkpoints that were given out, as signed.
create table log_checkpoints (
    size bigint primary key,
    root bytea not null,
    note text not null,
    signed_at timestamptz not null default now(),
    constraint log_checkpoints_root check (length(root) = 32)
);

-- That a log shorter than a checkpoint given out was accepted after all, for everyone to see.
create table log_rollbacks (
    accepted_at timestamptz primary key default now(),
    -- The checkpoint that had been given out, as signed, and how long the log was when it was accepted.
    checkpoint text not null,
    size bigint not null,
    reason text not null
);

create function evidence_stays() returns trigger language plpgsql as $$
begin
    raise exception 'what was signed and given out is never changed or removed' using errcode = 'BRAG2';
end
$$;

create trigger instance_stay before update or delete or truncate on instance
    for each statement execute function evidence_stays();
create trigger signing_keys_stay before update or delete or truncate on signing_keys
    for each statement execute function evidence_stays();
create trigger log_leaves_stay before update or delete or truncate on log_leaves
    for each statement execute function evidence_stays();
create trigger log_nodes_stay before update or delete or truncate on log_nodes
    for each statement execute function evidence_stays();
create trigger log_checkpoints_stay before update or delete or truncate on log_checkpoints
    for each statement execute function evidence_stays();
create trigger log_rollbacks_stay before update or delete or truncate on log_rollbacks
    for each statement execute function evidence_stays();

alter table instance enable always trigger instance_stay;
alter table signing_keys enable always trigger signing_keys_stay;
alter table log_leaves enable always trigger log_leaves_stay;
alter table log_nodes enable always trigger log_nodes_stay;
alter table log_checkpoints enable always trigger log_checkpoints_stay;
alter table log_rollbacks enable always trigger log_rollbacks_stay;
