-- What the events come to: written in the transaction of the event that changes it, dropped and made again at any
-- time (`bragbook rebuild`), held against a replay by `bragbook verify`. Nothing here is evidence.
--
-- Chips and coins are whole numbers of the session's own smallest chip and coin.

create table sessions (
    session uuid primary key,
    -- Not from the events: whose session it is.
    club uuid not null,
    -- From the events, as of `version`.
    version bigint not null,
    game text not null,
    title text,
    night text not null,
    unit jsonb not null,
    seats text[] not null,
    opened_at timestamptz not null,
    changed_at timestamptz not null,
    closed boolean not null,
    winners text[]
);

create index sessions_of_club on sessions (club, opened_at desc, session);

-- A hand that is over; `detail` is the hand as the contract shows it (§4).
create table hands (
    session uuid not null,
    hand bigint not null,
    result text not null,
    first bigint not null,
    last bigint not null,
    detail jsonb not null,
    primary key (session, hand)
);

create table hand_players (
    session uuid not null,
    hand bigint not null,
    player text not null,
    paid bigint not null,
    awarded bigint not null,
    net bigint not null,
    won boolean not null,
    lost_life boolean not null,
    category text,
    primary key (session, hand, player)
);

-- Where each player stands, the open hand left out.
create table balances (
    session uuid not null,
    player text not null,
    net_chips bigint not null,
    money_coins bigint,
    lives bigint,
    primary key (session, player)
);
