-- Who plays: apart from the events, so that a name can be changed or erased without breaking a chain.

create table clubs (
    club uuid primary key,
    name text not null,
    created_at timestamptz not null default now()
);

-- `same_as`: another person of the club who turned out to be this one; taken away again, they are two as before.
create table people (
    club uuid not null,
    person uuid not null,
    name text,
    same_as uuid,
    created_at timestamptz not null default now(),
    erased_at timestamptz,
    primary key (club, person),
    constraint people_erased_have_no_name check ((name is null) = (erased_at is not null))
);

-- What a player of a session is called, and who of the club's people that is. `revised_at`: when that last changed
-- after the session was opened; a page that shows names is an older one then.
create table names (
    session uuid not null,
    player text not null,
    name text,
    person uuid,
    erased_at timestamptz,
    revised_at timestamptz,
    primary key (session, player),
    constraint names_erased_are_gone check ((name is null) = (erased_at is not null))
);

create index names_of_person on names (person) where person is not null;
