package dev.spream.cli.panel;

import dev.spream.api.ConfiguredDeadLetters;
import dev.spream.cli.http.Panel;
import dev.spream.cli.http.PanelCommand;
import dev.spream.cli.http.PanelCommand.Outcome;
import dev.spream.cli.output.Members;
import dev.spream.core.LoggedFailure;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.ReplayResult;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.RecordIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The open dead letters of a subscription, with replay, discard and release. A replay delivers to the configured sink,
 * opened for it, as {@code spream deadletters replay} does beside a running subscription.
 */
public final class DeadLettersPanel implements Panel, AutoCloseable {
    private static final int LISTED = 50;
    private static final int MAX_OF_KEY = 1_000;

    private final Opening<ConfiguredDeadLetters> opening;
    private final ReplayTask replays = new ReplayTask();

    public DeadLettersPanel(Opening<ConfiguredDeadLetters> opening) {
        this.opening = opening;
    }

    @Override
    public String name() {
        return "dead-letters";
    }

    @Override
    public Members read() throws Exception {
        ConfiguredDeadLetters configured = opening.get();
        DeadLetterStore store = configured.letters();
        List<DeadLetterStore.Entry> open = store.openLetters();
        DeadLetterCounts counts = DeadLetterCounts.of(open);
        List<DeadLetterStore.Entry> newest =
                open.subList(Math.max(0, open.size() - LISTED), open.size()).reversed();
        Map<RecordIdentity, StoredDeadLetter> stored =
                store.read(newest.stream().map(DeadLetterStore.Entry::identity).toList()).stream()
                        .collect(Collectors.toMap(letter -> letter.change().identity(), Function.identity()));
        List<Members> letters = new ArrayList<>();
        Map<String, Integer> causes = new HashMap<>();
        for (DeadLetterStore.Entry entry : newest) {
            StoredDeadLetter letter = stored.get(entry.identity());
            if (letter != null) {
                letters.add(DeadLetterMembers.withoutKeys(entry, letter));
                letter.failure().ifPresent(failure -> causes.merge(failure.errorClass(), 1, Integer::sum));
            }
        }
        return new Members()
                .put("subscription", configured.subscription())
                .put("open", counts.letters())
                .put("failed", counts.failed())
                .put("overtaken", counts.overtaken())
                .put("parked", counts.parked())
                .put("behind_parked", counts.behind())
                .put("parked_keys", store.parkedKeys().size())
                .put("causes", new TreeMap<>(causes))
                .put("letters", letters)
                .put("replay", replays.members());
    }

    @Override
    public Map<String, PanelCommand> commands() {
        Map<String, PanelCommand> commands = new LinkedHashMap<>();
        commands.put("replay", this::replay);
        commands.put("replay-key", this::replayKey);
        commands.put("discard", this::discard);
        commands.put("release", this::release);
        return commands;
    }

    private Outcome replay(JsonObject given, String actor) throws Exception {
        List<RecordIdentity> identities = CommandArguments.of(given).identities();
        ConfiguredDeadLetters configured = opening.get();
        Map<RecordIdentity, DeadLetterStore.Entry> open = open(configured.letters());
        List<RecordIdentity> missing = identities.stream()
                .filter(identity -> !open.containsKey(identity))
                .toList();
        if (!missing.isEmpty()) {
            return new Outcome(
                    false,
                    "%d of these letters are not open, such as %s; nothing was replayed"
                            .formatted(missing.size(), missing.getFirst()));
        }
        return replays.run(configured, replay -> {
            List<ReplayResult> results = new ArrayList<>();
            for (RecordIdentity identity : identities) {
                results.add(replay.letter(identity));
            }
            return results;
        });
    }

    /** Replays all letters of the keys of a letter, and of the keys that changes of several keys connect with them. */
    private Outcome replayKey(JsonObject given, String actor) throws Exception {
        RecordIdentity identity = CommandArguments.of(given).identity();
        ConfiguredDeadLetters configured = opening.get();
        Map<RecordIdentity, DeadLetterStore.Entry> open = open(configured.letters());
        DeadLetterStore.Entry letter = open.get(identity);
        if (letter == null) {
            return new Outcome(false, "the letter %s is not open; nothing was replayed".formatted(identity));
        }
        if (letter.keys().isEmpty()) {
            return new Outcome(false, "the letter %s has no key: it was not decoded".formatted(identity));
        }
        RecordKey key = letter.keys().iterator().next();
        long letters = open.values().stream()
                .filter(other -> other.keys().contains(key))
                .count();
        if (letters > MAX_OF_KEY) {
            return new Outcome(
                    false,
                    "the key has %d letters, more than %d: use spream deadletters replay --key; nothing was replayed"
                            .formatted(letters, MAX_OF_KEY));
        }
        return replays.run(configured, replay -> List.of(replay.key(key)));
    }

    private static Map<RecordIdentity, DeadLetterStore.Entry> open(DeadLetterStore store) throws Exception {
        return store.openLetters().stream()
                .collect(Collectors.toMap(DeadLetterStore.Entry::identity, Function.identity()));
    }

    private Outcome discard(JsonObject given, String actor) throws Exception {
        List<RecordIdentity> identities = CommandArguments.of(given).identities();
        DeadLetterStore store = opening.get().letters();
        List<RecordIdentity> discarded = new ArrayList<>();
        try {
            for (RecordIdentity identity : identities) {
                if (store.discard(identity)) {
                    discarded.add(identity);
                }
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return new Outcome(
                    false,
                    "discarded %d of %d: %s; then failed, and the others stay open: %s"
                            .formatted(discarded.size(), identities.size(), discarded, LoggedFailure.brief(e)));
        }
        int left = identities.size() - discarded.size();
        return new Outcome(
                left == 0,
                "discarded %d of %d: %s%s; %s"
                        .formatted(
                                discarded.size(),
                                identities.size(),
                                discarded,
                                left == 0 ? "" : "; %d are not open, or are being replayed".formatted(left),
                                remaining(store)));
    }

    private Outcome release(JsonObject given, String actor) throws Exception {
        DeadLetterStore store = opening.get().letters();
        int released = 0;
        try {
            for (RecordKey key : store.parkedKeys()) {
                released += store.release(Set.of(key)) ? 1 : 0;
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return new Outcome(
                    false,
                    "released %d keys; then failed, and the others stay parked: %s"
                            .formatted(released, LoggedFailure.brief(e)));
        }
        return new Outcome(released > 0, "released %d keys; %s".formatted(released, remaining(store)));
    }

    /** Returns the text of what remains; a failure to read it does not make the command one. */
    private static String remaining(DeadLetterStore store) throws InterruptedException {
        try {
            return DeadLetterCounts.remaining(store);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return "what remains could not be read: " + LoggedFailure.brief(e);
        }
    }

    /** Interrupts a running replay; its letters stay open. */
    @Override
    public void close() {
        replays.close();
    }
}
