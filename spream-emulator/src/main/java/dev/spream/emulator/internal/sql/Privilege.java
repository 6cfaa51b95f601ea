package dev.spream.emulator.internal.sql;

/**
 * A privilege that a role may have.
 *
 * @param object the name of what it is on, the name of a role for membership
 * @see <a href="https://cloud.google.com/spanner/docs/fgac-privileges">Spanner: privileges</a>
 */
public record Privilege(Action action, Kind kind, String object) {
    public enum Action {
        SELECT,
        INSERT,
        UPDATE,
        DELETE,
        EXECUTE,
        USAGE,
        MEMBERSHIP
    }

    public enum Kind {
        TABLE,
        VIEW,
        CHANGE_STREAM,
        FUNCTION,
        SCHEMA,
        ROLE
    }

    /** Returns the privilege as it is written in GRANT. */
    public String ddl(boolean postgres) {
        return switch (kind) {
            case ROLE -> postgres ? object : "ROLE " + object;
            case CHANGE_STREAM -> action + " ON CHANGE STREAM " + object;
            case FUNCTION -> action + (postgres ? " ON FUNCTION spanner." : " ON TABLE FUNCTION ") + object;
            case TABLE, VIEW, SCHEMA ->
                action + " ON " + (kind == Kind.VIEW && postgres ? Kind.TABLE : kind) + " " + object;
        };
    }
}
