package dev.spream.emulator.internal.database;

import dev.spream.emulator.internal.sql.DdlStatement.Grant;
import dev.spream.emulator.internal.sql.DdlStatement.Revoke;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Privilege;
import dev.spream.emulator.internal.sql.Privilege.Action;
import dev.spream.emulator.internal.sql.Privilege.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The roles of a database with their privileges. Immutable; names are compared without case. Spanner's system roles do
 * not exist.
 *
 * @param byName the privileges of each role, by its name as created
 */
record Roles(Map<String, Set<Privilege>> byName) {
    static final Roles NONE = new Roles(Map.of());

    private String existing(String role) {
        return byName.keySet().stream()
                .filter(role::equalsIgnoreCase)
                .findFirst()
                .orElseThrow(() -> Errors.notFound("Role not found: %s", role));
    }

    boolean exists(String role) {
        return byName.keySet().stream().anyMatch(role::equalsIgnoreCase);
    }

    Roles with(String role) {
        if (exists(role)) {
            throw Schema.duplicateName(role);
        }
        return changed(role, Set.of());
    }

    Roles without(String role) {
        String name = existing(role);
        boolean member =
                byName.values().stream().flatMap(Set::stream).anyMatch(privilege -> isOn(privilege, Kind.ROLE, name));
        if (member || !byName.getOrDefault(name, Set.of()).isEmpty()) {
            throw Errors.failedPrecondition(
                    "Cannot drop role %s: revoke its privileges, and its memberships, first.", name);
        }
        Map<String, Set<Privilege>> changed = new LinkedHashMap<>(byName);
        changed.remove(name);
        return new Roles(changed);
    }

    Roles with(Grant grant) {
        Roles result = this;
        for (String role : grant.roles()) {
            Set<Privilege> privileges = new LinkedHashSet<>(byName.getOrDefault(existing(role), Set.of()));
            privileges.addAll(grant.privileges());
            result = result.changed(existing(role), privileges);
        }
        return result;
    }

    Roles without(Revoke revoke) {
        Roles result = this;
        for (String role : revoke.roles()) {
            Set<Privilege> privileges = new LinkedHashSet<>(byName.getOrDefault(existing(role), Set.of()));
            privileges.removeIf(privilege -> revoke.privileges().stream().anyMatch(other -> same(privilege, other)));
            result = result.changed(existing(role), privileges);
        }
        return result;
    }

    private static boolean same(Privilege a, Privilege b) {
        return a.action() == b.action() && isOn(a, b.kind(), b.object());
    }

    private static boolean isOn(Privilege privilege, Kind kind, String object) {
        return privilege.kind() == kind && privilege.object().equalsIgnoreCase(object);
    }

    private Roles changed(String role, Set<Privilege> privileges) {
        Map<String, Set<Privilege>> changed = new LinkedHashMap<>(byName);
        changed.put(role, privileges);
        return new Roles(changed);
    }

    /** Returns whether a role has a privilege, itself or from a role of which it is a member. */
    boolean has(String role, Action action, Kind kind, String object) {
        return has(role, new Privilege(action, kind, object), new LinkedHashSet<>());
    }

    private boolean has(String role, Privilege wanted, Set<String> seen) {
        String name = existing(role);
        return seen.add(name)
                && byName.getOrDefault(name, Set.of()).stream()
                        .anyMatch(privilege -> same(privilege, wanted)
                                || (privilege.action() == Action.MEMBERSHIP && has(privilege.object(), wanted, seen)));
    }

    /** Checks that no role has a privilege on an object that is dropped. */
    void checkUngranted(Kind kind, String object) {
        byName.forEach((role, privileges) -> {
            if (privileges.stream().anyMatch(privilege -> isOn(privilege, kind, object))) {
                throw Errors.failedPrecondition(
                        "Cannot drop %s, on which role %s has privileges: revoke them first.", object, role);
            }
        });
    }

    /** Returns the statements that create the roles and grant their privileges. */
    List<String> ddl(boolean postgres) {
        List<String> ddl = new ArrayList<>();
        byName.keySet().forEach(role -> ddl.add("CREATE ROLE " + role));
        byName.forEach((role, privileges) -> privileges.forEach(
                privilege -> ddl.add("GRANT " + privilege.ddl(postgres) + (postgres ? " TO " : " TO ROLE ") + role)));
        return ddl;
    }
}
