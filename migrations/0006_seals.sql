-- Names and tokens change, and no chain covers them. Each row of theirs has a seal, a hash that is made anew when the
-- service changes the row and by nobody else: a row that was changed behind its back no longer fits, and
-- `bragbook verify` names it. Rows are never removed: a token is revoked, a name is erased.
--
-- The service is told by the name of its connections; whoever goes so far as to borrow that is beyond what a seal kept
-- beside the row can show. Nothing of an erased name is left: the seal is over the row as it is now.

create table seals (
    -- The session of the row, or the club.
    session uuid not null,
    kind text not null,
    key text not null,
    digest bytea not null,
    primary key (session, kind, key),
    constraint seals_kind check (kind in ('name', 'token', 'club_token'))
);

create function seal_of_name(row_of names) returns bytea language sql immutable as $$
    select sha256(convert_to(jsonb_build_array(row_of.session, row_of.player, row_of.name, row_of.person,
        extract(epoch from row_of.erased_at))::text, 'UTF8'))
$$;

create function seal_of_token(row_of tokens) returns bytea language sql immutable as $$
    select sha256(convert_to(jsonb_build_array(row_of.session, row_of.token, row_of.club, row_of.kind, row_of.player,
        encode(row_of.secret_hash, 'hex'), extract(epoch from row_of.revoked_at))::text, 'UTF8'))
$$;

create function seal_of_club_token(row_of club_tokens) returns bytea language sql immutable as $$
    select sha256(convert_to(jsonb_build_array(row_of.club, row_of.token, encode(row_of.secret_hash, 'hex'),
        extract(epoch from row_of.revoked_at))::text, 'UTF8'))
$$;

create function seal_row() returns trigger language plpgsql as $$
begin
    if current_setting('application_name') not like 'bragbook%' then
        return new;
    end if;
    if tg_table_name = 'names' then
        insert into seals values (new.session, 'name', new.player, seal_of_name(new))
            on conflict (session, kind, key) do update set digest = excluded.digest;
    elsif tg_table_name = 'tokens' then
        insert into seals values (new.session, 'token', new.token, seal_of_token(new))
            on conflict (session, kind, key) do update set digest = excluded.digest;
    else
        insert into seals values (new.club, 'club_token', new.token, seal_of_club_token(new))
            on conflict (session, kind, key) do update set digest = excluded.digest;
    end if;
    return new;
end
$$;

create function rows_stay() returns trigger language plpgsql as $$
begin
    raise exception 'rows of % are never removed: revoke the token, erase the name', tg_table_name
        using errcode = 'BRAG2';
end
$$;

insert into seals select session, 'name', player, seal_of_name(names) from names;
insert into seals select session, 'token', token, seal_of_token(tokens) from tokens;
insert into seals select club, 'club_token', token, seal_of_club_token(club_tokens) from club_tokens;

create trigger names_sealed after insert or update on names for each row execute function seal_row();
create trigger tokens_sealed after insert or update on tokens for each row execute function seal_row();
create trigger club_tokens_sealed after insert or update on club_tokens for each row execute function seal_row();

create trigger names_stay before delete or truncate on names for each statement execute function rows_stay();
create trigger tokens_stay before delete or truncate on tokens for each statement execute function rows_stay();
create trigger club_tokens_stay before delete or truncate on club_tokens for each statement execute function rows_stay();
