-- Who may do what. A token names its session (or club) and its own row, so that it is looked up in one place; of its
-- secret only the SHA-256 is kept.

create table tokens (
    session uuid not null,
    token text not null,
    club uuid not null,
    kind text not null,
    player text,
    secret_hash bytea not null,
    created_at timestamptz not null default now(),
    revoked_at timestamptz,
    primary key (session, token),
    constraint tokens_kind check (kind in ('record', 'view', 'seat')),
    constraint tokens_seat_has_player check ((kind = 'seat') = (player is not null)),
    constraint tokens_secret_hash check (length(secret_hash) = 32)
);

create table club_tokens (
    club uuid not null,
    token text not null,
    secret_hash bytea not null,
    created_at timestamptz not null default now(),
    revoked_at timestamptz,
    primary key (club, token),
    constraint club_tokens_secret_hash check (length(secret_hash) = 32)
);
