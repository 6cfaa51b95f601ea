package dev.spream.lock;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The tables of {@code docs/locks.md}, generated from lock plans; with SCENARIOS_WRITE set, the page is updated. {@code
 * LockStoreContract} checks that databases decide the same.
 */
final class LockScenariosTest {
    private static final Path PAGE = Path.of("../docs/locks.md");
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, BucketSpace.MAX_BUCKETS, 3);
    private static final List<String> PAIR = List.of("1", "2");

    private static final List<LockTarget> USERS =
            PAIR.stream().map(user -> LockTarget.user("u" + user)).toList();
    private static final List<LockTarget> ACCOUNTS = below(USERS, "a");
    private static final List<LockTarget> RESOURCES = below(ACCOUNTS, "r");

    @Test
    void the_page_has_the_current_conflicts_of_exclusive_targets() throws IOException {
        requireCurrent(
                "matrix",
                table(Stream.of(USERS, ACCOUNTS, RESOURCES)
                        .flatMap(List::stream)
                        .map(LockRequest::exclusive)
                        .toList()));
    }

    @Test
    void the_page_has_the_current_conflicts_of_shared_targets() throws IOException {
        requireCurrent(
                "modes",
                table(Stream.of(USERS, ACCOUNTS, RESOURCES)
                        .map(List::getFirst)
                        .flatMap(target -> Stream.of(LockRequest.exclusive(target), LockRequest.shared(target)))
                        .toList()));
    }

    @Test
    void the_page_has_the_current_locks_of_requests() throws IOException {
        requireCurrent("plans", plans());
    }

    private static String plans() {
        List<LockRequest> requests = List.of(
                LockRequest.exclusive(LockTarget.user("u1")),
                LockRequest.exclusive(LockTarget.account("u1", "a1")),
                LockRequest.exclusive(LockTarget.resource("u1", "a1", "r1")),
                LockRequest.exclusive(LockTarget.resources("u1", "a1", List.of("r2", "r1"))),
                LockRequest.exclusive(LockTarget.account("u2", "a7"), LockTarget.account("u1", "a1")),
                LockRequest.exclusive(LockTarget.user("u1"), LockTarget.resource("u1", "a1", "r1")),
                LockRequest.shared(LockTarget.account("u1", "a1")),
                LockRequest.exclusive(LockTarget.resource("u1", "a1", "r1"))
                        .and(LockRequest.shared(LockTarget.user("u2"))));
        return "| request | locks, in this order |\n|---|---|\n"
                + requests.stream()
                        .map(request -> "| %s | %s |\n".formatted(request, planned(request)))
                        .collect(joining());
    }

    /** The plan of a request, with targets instead of keys. */
    private static String planned(LockRequest request) {
        List<LockTarget> involved = request.targets().keySet().stream()
                .flatMap(target -> Stream.concat(target.ancestors().stream(), Stream.of(target)))
                .distinct()
                .toList();
        return LockPlan.of(request, SPACE).locks().stream()
                .map(lock -> involved.stream()
                                .filter(target -> SPACE.keyOf(target).equals(lock.key()))
                                .map(LockTarget::toString)
                                .collect(joining("="))
                        + (lock.mode() == LockMode.SHARED ? " shared" : " **exclusive**"))
                .collect(joining(", "));
    }

    private static String table(List<LockRequest> requests) {
        StringBuilder table = new StringBuilder("| held \\ wanted |");
        requests.forEach(wanted -> table.append(" %s |".formatted(wanted)));
        table.append("\n|---|").append(":-:|".repeat(requests.size())).append('\n');
        for (LockRequest held : requests) {
            table.append("| %s |".formatted(held));
            requests.forEach(wanted -> table.append(waits(held, wanted) ? " waits |" : " |"));
            table.append('\n');
        }
        return table.toString();
    }

    private static boolean waits(LockRequest held, LockRequest wanted) {
        return LockPlan.of(held, SPACE).locks().stream()
                .anyMatch(lock -> LockPlan.of(wanted, SPACE).locks().stream()
                        .anyMatch(other ->
                                other.key().equals(lock.key()) && other.mode().conflictsWith(lock.mode())));
    }

    private static List<LockTarget> below(List<LockTarget> parents, String prefix) {
        return parents.stream()
                .flatMap(parent -> PAIR.stream()
                        .map(id -> LockTarget.of(Stream.concat(parent.path().stream(), Stream.of(prefix + id))
                                .toList())))
                .toList();
    }

    private static void requireCurrent(String name, String table) throws IOException {
        String begin = "<!-- %s: begin -->\n".formatted(name);
        String end = "<!-- %s: end -->\n".formatted(name);
        String page = Files.readString(PAGE);
        String current =
                page.substring(0, page.indexOf(begin) + begin.length()) + table + page.substring(page.indexOf(end));
        if (System.getenv("SCENARIOS_WRITE") != null) {
            Files.writeString(PAGE, current);
        }
        assertThat(Files.readString(PAGE))
                .as("to write the tables, see CONTRIBUTING.md, SCENARIOS_WRITE")
                .isEqualTo(current);
    }
}
