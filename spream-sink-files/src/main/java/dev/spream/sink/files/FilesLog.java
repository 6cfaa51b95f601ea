package dev.spream.sink.files;

import dev.spream.core.LoggedFailure;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of commits of one subscription: the objects {@code log/0000000000000000001.json} and so on. A file counts if an
 * entry names it, and only then. Confined to the thread that commits.
 *
 * <p><b>Protocol.</b> A worker collects the changes that it is given, in that order. To commit them it
 * <ol>
 *   <li>reads the log to its end, which gives the counted <em>position</em> of each partition ({@link LogState});
 *   <li>drops those of its changes that their partition's position covers ({@link Draft});
 *   <li>stores the rest as files with new names;
 *   <li>stores the next entry if there is none of that number. If there is one, another worker was first: it continues
 *       with the first step, and stores other files if that drops more changes.
 * </ol>
 * {@code flush} returns after that, so no watermark that covers a change is stored before an entry names its file.
 *
 * <p><b>Why each change counts once.</b> The store lets one writer have each number, so the entries are one sequence, and
 * the state before an entry is what its writer read. The changes of a partition are delivered in the order in which it
 * is read, under each lease from the stored watermark on. Claim: after each entry, the counted changes of a partition are
 * those delivered of a prefix of its changes, up to its position. At first the prefix is empty. A stored watermark is
 * inside it, since the changes before it were flushed. So what a worker holds of the partition is an unbroken run that
 * begins inside the prefix, or at its end: the worker began at a watermark, and what it dropped or committed since then is in
 * the prefix. Dropping what the position covers leaves the part of the run behind the prefix, which the entry adds.
 * Nothing is counted twice, and nothing is passed over.
 *
 * <p>The argument does not need the worker's lease to last. A worker that lost it may still commit: if it is first, the
 * new owner drops what that counted; if it comes later, it drops what the new owner counted. Either way its entry extends
 * the prefix. The epoch is in the entry for people that read it.
 *
 * <p><b>Why keys stay in order.</b> A change is given to a worker when those before it on its key are settled: by the same
 * worker, which has it in the same entry or a later one, behind them; or by another one, and then a watermark, or the end
 * of a partition, was stored after the flush that counted them.
 *
 * <p><b>Size.</b> Every 64th entry is followed by a checkpoint, {@code checkpoints/0000000000000000064.json}, which has the
 * state; a worker begins with the last one. Entries stay for readers.
 *
 * <p>A put whose answer was lost is repeated; the entry that is then in the way has the id of this commit.
 */
final class FilesLog {
    static final String ENTRIES = "log/";
    static final String CHECKPOINTS = "checkpoints/";
    private static final Pattern ENTRY = Pattern.compile(Pattern.quote(ENTRIES) + "\\d{19}\\.json");
    private static final int CHECKPOINT_INTERVAL = 64;
    private static final Logger log = LoggerFactory.getLogger(FilesLog.class);

    private final ObjectStore store;
    private final LogOwner owner;
    private LogState state = new LogState();
    private String attempted = ""; // the id of the last commit that was to be stored
    private boolean landed; // whether its entry was found
    private long taken; // the number of an entry that is there, as the refusal of another one shows

    FilesLog(ObjectStore store, LogOwner owner) {
        this.store = store;
        this.owner = owner;
    }

    /**
     * Reads the last checkpoint, and the entries after it. A gap in these is refused: an entry stored there would take
     * the number of one that was deleted.
     */
    void open() {
        List<String> checkpoints = store.list(CHECKPOINTS);
        if (checkpoints.isEmpty()) {
            requireBeginning();
        } else {
            String last = checkpoints.getLast();
            state = store.get(last)
                    .map(content -> checkpoint(last, content))
                    .orElseThrow(() ->
                            new ObjectStoreException("%s was deleted while it was read".formatted(last), true, null));
        }
        Optional<String> last = lastAfter(store, state.number()); // listed before: others append meanwhile
        catchUp();
        last.filter(entry -> entry.compareTo(entry(state.number())) > 0).ifPresent(entry -> {
            throw new ObjectStoreException(
                    "%s is missing from the log in %s, which continues to %s: entries were deleted, so it is not known which changes are counted, and nothing is written. Restore the missing entries, or use another prefix or folder; if a lifecycle rule deletes from %s, remove it"
                            .formatted(entry(state.number() + 1), store, entry, ENTRIES),
                    false,
                    null);
        });
    }

    /** Returns the name of the last entry, if it is after the one with that number. */
    private static Optional<String> lastAfter(ObjectStore store, long number) {
        return store.listAfter(ENTRIES, entry(number)).stream()
                .filter(name -> ENTRY.matcher(name).matches())
                .reduce((before, name) -> name);
    }

    /**
     * Returns the name of a later entry than the one with that number, if there is one, at a cost that does not grow with
     * the log. A store that could only list all of it is asked for names: entries are deleted up to the last checkpoint at
     * most, so a later one has a checkpoint at or after it, or is one of the next.
     */
    static Optional<String> laterThan(ObjectStore store, long number) {
        if (store.seeks()) {
            return lastAfter(store, number);
        }
        return store.list(CHECKPOINTS).stream()
                .reduce((before, name) -> name)
                .map(name -> ENTRIES + name.substring(CHECKPOINTS.length()))
                .filter(name -> name.compareTo(entry(number)) > 0)
                .or(() -> LongStream.rangeClosed(number + 1, number + CHECKPOINT_INTERVAL)
                        .mapToObj(FilesLog::entry)
                        .filter(name -> store.get(name).isPresent())
                        .findFirst());
    }

    private static LogState checkpoint(String name, byte[] content) {
        try {
            return LogState.read(content);
        } catch (RuntimeException e) {
            throw unreadable(name, e);
        }
    }

    private static ObjectStoreException unreadable(String name, RuntimeException cause) {
        return new ObjectStoreException(
                "%s is not part of a log of spream, or of a newer version: nothing is written. Use another prefix or folder, or the version that wrote it"
                        .formatted(name),
                false,
                cause);
    }

    private void requireBeginning() {
        List<String> entries = store.list(ENTRIES);
        if (!entries.isEmpty() && !entries.getFirst().equals(entry(1))) {
            throw new ObjectStoreException(
                    "%s is the first entry of the log, and there is no checkpoint: entries were deleted, so it is not known which changes are counted, and nothing is written. Restore %s* or %s*, or use another prefix or folder"
                            .formatted(entries.getFirst(), ENTRIES, CHECKPOINTS),
                    false,
                    null);
        }
    }

    /** Reads the entries that were stored since. The last one has to be of this subscription, or of one it takes over. */
    void catchUp() {
        String name = entry(state.number() + 1);
        Optional<byte[]> next = store.get(name);
        while (next.isPresent()) {
            LogEntry commit = read(name, next.get());
            state.apply(commit);
            landed |= commit.id().equals(attempted);
            name = entry(state.number() + 1);
            next = store.get(name);
        }
        owner.require(state, store.toString());
        if (state.number() < taken) {
            throw new ObjectStoreException(
                    "%s is in %s and is not found there, as with a file system that answers from a cache: nothing can be committed until it is found. Mount NFS with lookupcache=positive or lookupcache=none"
                            .formatted(entry(taken), store),
                    true,
                    null);
        }
    }

    static LogEntry read(String name, byte[] content) {
        try {
            return LogEntry.read(content);
        } catch (RuntimeException e) {
            throw unreadable(name, e);
        }
    }

    /**
     * Stores the entry, which has the number after the last one read.
     *
     * @return false if an entry has the number, which is another writer's or cannot be read yet; {@link #catchUp} reads it
     */
    boolean append(LogEntry commit) {
        String name = entry(commit.number());
        byte[] content = commit.toJson();
        landed &= commit.id().equals(attempted);
        attempted = commit.id();
        if (!store.putIfAbsent(name, content)
                && !store.get(name)
                        .filter(stored -> Arrays.equals(stored, content))
                        .isPresent()) {
            taken = commit.number();
            return false;
        }
        state.apply(commit);
        if (commit.number() % CHECKPOINT_INTERVAL == 0) {
            storeCheckpoint();
        }
        return true;
    }

    /** Returns whether an entry of this commit was read, although it was not known to be stored. */
    boolean hasLanded(String id) {
        return landed && id.equals(attempted);
    }

    private void storeCheckpoint() {
        String name = CHECKPOINTS + number(state.number());
        try {
            store.putIfAbsent(name, state.toJson());
        } catch (ObjectStoreException e) {
            log.warn(
                    "{} could not be stored; a worker that starts reads more entries until the next one is",
                    name,
                    LoggedFailure.of(e));
        }
    }

    LogState state() {
        return state;
    }

    static String entry(long number) {
        return ENTRIES + number(number);
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%019d.json", number);
    }
}
