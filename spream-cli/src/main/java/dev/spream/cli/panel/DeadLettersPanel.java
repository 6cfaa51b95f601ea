package dev.spream.cli.panel;

import dev.spream.api.ConfiguredDeadLetters;
import dev.spream.cli.http.Panel;
import dev.spream.cli.http.PanelCommand;
import dev.spream.cli.http.PanelCommand.Outcome;
import dev.spream.cli.output.Members;
import dev.spream.core.LoggedFailure;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.RecordIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/**
 * The open dead letters of a subscription, with replay, discard and release. A replay delivers to the configured sink,
 * opened for it, as {@code spream deadletters replay} does beside a running subscription.
 */
public final class DeadLettersPanel implements Panel, AutoCloseable {
    private static final int LISTED = 100;

    private final Opening<ConfiguredDeadLetters> opening;
    private final ReplayTask replays;

    /** @param replaying opens the dead letters for a replay, which closes them and the sink at its end */
    public DeadLettersPanel(Opening<ConfiguredDeadLetters> opening, Callable<ConfiguredDeadLetters> replaying) {
        this.opening = opening;
        this.replays = new ReplayTask(replaying);
    }

    @Override
    public String name() {
        return "dead-letters";
    }

    @Override
    public Members read() throws Exception {
        ConfiguredDeadLetters configured = opening.get();
        DeadLetterStore store = configured.letters();
        DeadLetterStore.Counts counts = store.counts();
        List<Members> letters = new ArrayList<>();
        Map<String, Integer> causes = new HashMap<>();
        for (DeadLetterStore.Entry entry : store.newestLetters(LISTED)) {
            // One at a time: the change of a letter may have many megabytes.
            for (StoredDeadLetter letter : store.read(List.of(entry.identity()))) {
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
                .put("behind_parked", counts.behindParked())
                .put("parked_keys", counts.parkedKeys())
                .put("causes", new TreeMap<>(causes))
                .put("letters", letters)
                .put("replay", replays.members());
    }

    @Override
    public Map<String, PanelCommand> commands() {
        Map<String, PanelCommand> commands = new LinkedHashMap<>();
        commands.put("replay", this::replay);
        commands.put("replay-key", this::replayKey);
        commands.put("stop", (arguments, actor) -> replays.stop());
        commands.put("discard", this::discard);
        commands.put("release", this::release);
        return commands;
    }

    private Outcome replay(JsonObject given, String actor) throws Exception {
        Set<RecordIdentity> identities =
                new LinkedHashSet<>(CommandArguments.of(given).identities());
        Set<RecordIdentity> missing = new LinkedHashSet<>(identities);
        opening.get()
                .letters()
                .read(identities)
                .forEach(letter -> missing.remove(letter.change().identity()));
        if (!missing.isEmpty()) {
            return new Outcome(
                    false,
                    "%d of these letters are not open, such as %s; nothing was replayed"
                            .formatted(missing.size(), missing.iterator().next()));
        }
        return replays.run(replay -> replay.letters(identities));
    }

    /** Replays all letters of the keys of a letter, and of the keys that changes of several keys connect with them. */
    private Outcome replayKey(JsonObject given, String actor) throws Exception {
        RecordIdentity identity = CommandArguments.of(given).identity();
        List<StoredDeadLetter> open = opening.get().letters().read(List.of(identity));
        if (open.isEmpty()) {
            return new Outcome(false, "the letter %s is not open; nothing was replayed".formatted(identity));
        }
        Optional<RecordKey> key =
                RecordKey.of(open.getFirst().change()).stream().findFirst();
        if (key.isEmpty()) {
            return new Outcome(
                    false, "the letter %s has no key: it was not decoded; nothing was replayed".formatted(identity));
        }
        return replays.run(replay -> replay.key(key.get()));
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
            return RemainingLetters.of(store);
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
