package dev.spream.examples.order;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Judges what services that died and came back made of orders: each one that was accepted is settled in the ledger, in one
 * generation; one that succeeded had one effect at the broker, and one that failed none; nothing is under way or waiting any
 * more; and the orders of an account took effect in the order in which they were accepted.
 */
final class FaultJudge {
    private FaultJudge() {}

    /** An order that a service said it has, in the order of its account if it has one. */
    record Accepted(String key, Optional<String> account) {}

    /** A row of the ledger. */
    record LedgerRow(String key, int generation, String status) {}

    /**
     * The state at the end.
     *
     * @param accepted in the order in which they were accepted, at least for each account
     * @param orders the keys of the service's own table
     * @param unsettled the keys of entries of the outbox that are not settled, each with its status
     * @param effects the keys of the broker's book in the order in which the orders were executed
     */
    record Evidence(
            List<Accepted> accepted,
            Set<String> orders,
            List<LedgerRow> ledger,
            List<String> unsettled,
            List<String> effects) {}

    /** Returns the violations; empty if there are none. */
    static List<String> judge(Evidence evidence) {
        List<String> wrong = new ArrayList<>();
        evidence.unsettled().forEach(entry -> wrong.add("still in the outbox: " + entry));
        judgeLedger(evidence, wrong);
        judgeEffects(evidence, wrong);
        judgeOrder(evidence, wrong);
        return wrong;
    }

    private static void judgeLedger(Evidence evidence, List<String> wrong) {
        Map<String, LedgerRow> rows = new HashMap<>();
        for (LedgerRow row : evidence.ledger()) {
            if (rows.put(row.key(), row) != null) {
                wrong.add("twice in the ledger: " + row);
            }
            if (row.status().equals("in_progress")) {
                wrong.add("never settled: " + row);
            }
            if (!evidence.orders().contains(row.key())) {
                wrong.add("in the ledger without an order: " + row);
            }
        }
        for (Accepted order : evidence.accepted()) {
            if (!rows.containsKey(order.key())) {
                wrong.add("accepted, and not in the ledger: " + order);
            }
        }
        evidence.orders().stream()
                .filter(key -> !rows.containsKey(key))
                .forEach(key -> wrong.add("an order that is not in the ledger: " + key));
    }

    private static void judgeEffects(Evidence evidence, List<String> wrong) {
        Map<String, Long> effects =
                evidence.effects().stream().collect(Collectors.groupingBy(key -> key, Collectors.counting()));
        Set<String> known = new HashSet<>();
        for (LedgerRow row : evidence.ledger()) {
            known.add(row.key());
            long expected = row.status().equals("succeeded") ? 1 : 0;
            long actual = effects.getOrDefault(row.key(), 0L);
            if (actual != expected) {
                wrong.add("%d effects: %s".formatted(actual, row));
            }
        }
        effects.keySet().stream()
                .filter(key -> !known.contains(key))
                .forEach(key -> wrong.add("an effect without an order: " + key));
    }

    private static void judgeOrder(Evidence evidence, List<String> wrong) {
        Map<String, Integer> places = new HashMap<>();
        for (int place = 0; place < evidence.effects().size(); place++) {
            places.putIfAbsent(evidence.effects().get(place), place);
        }
        Map<String, Accepted> last = new HashMap<>();
        for (Accepted order : evidence.accepted()) {
            if (order.account().isEmpty() || !places.containsKey(order.key())) {
                continue;
            }
            Accepted before = last.put(order.account().get(), order);
            if (before != null && places.getOrDefault(before.key(), 0) > places.getOrDefault(order.key(), 0)) {
                wrong.add("carried out after its successor: %s, then %s".formatted(before, order));
            }
        }
    }
}
