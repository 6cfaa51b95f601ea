package dev.spream.sink.files;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.DurationText;
import dev.spream.core.ExponentialBackoff;
import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits changes: stores them as files, and an entry of the log that names these. Failures of the store that may pass are
 * retried. Confined to one thread, but for {@link #requireNew}.
 */
final class Committer {
    private static final Logger log = LoggerFactory.getLogger(Committer.class);
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss.SSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    static final String DATA = "data/";

    private final ObjectStore store;
    private final LogOwner owner;
    private final String subscription; // its name, for messages
    private final FilesOptions options;
    private final InstantSource clock;
    private final FilesLog commits;
    private final Random random = new Random();
    private volatile Instant floor = Instant.MIN;

    Committer(ObjectStore store, LogOwner owner, FilesOptions options, InstantSource clock) {
        this.store = store;
        this.owner = owner;
        this.subscription = owner.name();
        this.options = options;
        this.clock = clock;
        this.commits = new FilesLog(store, owner);
    }

    /** Checks that the store fits. */
    void check() throws InterruptedException {
        StoreCheck check = new StoreCheck(store);
        retrying("checking the store", () -> {
            check.run();
            return true;
        });
    }

    /** Reads the log. */
    void open() throws InterruptedException {
        retrying("reading the log", () -> {
            commits.open();
            return true;
        });
        floor = commits.state().floor();
        log.info(
                "[{}] the log in {} has {} entries; {} partitions have changes after {}",
                subscription,
                store,
                commits.state().number(),
                commits.state().partitions(),
                floor.equals(Instant.MIN) ? "its beginning" : floor);
    }

    /**
     * Refuses a change from before the time up to which every change is counted. Only a worker that lost its lease gets
     * one, or one whose subscription was begun anew or set back.
     */
    void requireNew(PendingChange change) {
        if (!change.isReplay() && change.at().isBefore(floor)) {
            throw new NonRetryableException(
                    "[%s] the change of %s is from before %s, up to which the log in %s counts every change of the subscription: it is not written. If the subscription was begun anew or set back, use another prefix or folder"
                            .formatted(change.partition().abbreviated(), change.at(), floor, store));
        }
    }

    /** Commits those of the changes that are not counted yet. */
    void commit(List<PendingChange> pending, @Nullable Instant lowWatermark) throws InterruptedException {
        if (pending.isEmpty()) {
            return;
        }
        String id = UUID.randomUUID().toString();
        int stored = -1;
        List<CommittedFile> files = List.of();
        while (true) {
            retrying("reading the log", () -> {
                commits.catchUp();
                return true;
            });
            floor = commits.state().floor();
            if (commits.hasLanded(id)) {
                log.debug("[{}] the entry of commit {} was stored before", subscription, id);
                return;
            }
            Draft draft = Draft.of(pending, commits.state());
            if (draft.changes().size()
                    != stored) { // what is counted only grows, so the same number is the same changes
                files.forEach(this::remove);
                files = store(draft, id);
                stored = draft.changes().size();
            }
            if (stored == 0) {
                log.debug("[{}] all of {} changes are counted already", subscription, pending.size());
                return;
            }
            retrying("reading the stored subscription", owner::createdAt);
            LogEntry commit = draft.commit(id, owner, clock.instant(), Optional.ofNullable(lowWatermark), files);
            if (retrying("storing an entry of the log", () -> commits.append(commit))) {
                floor = commits.state().floor();
                log.debug(
                        "[{}] entry {} counts {} changes in {} files; {} were counted before",
                        subscription,
                        commit.number(),
                        stored,
                        files.size(),
                        pending.size() - stored);
                return;
            }
        }
    }

    private List<CommittedFile> store(Draft draft, String id) throws InterruptedException {
        List<CommittedFile> files = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (PathPattern.Folder folder : options.path().divide(draft.changes())) {
            for (PendingFile file : PendingFile.of(folder.changes(), options.format())) {
                files.add(store(file, name(folder.path(), id, names)));
            }
        }
        return files;
    }

    /** Returns a new name; files of one commit in one folder have numbers from the second one on. */
    private String name(String folder, String id, Set<String> names) {
        String stem = "%s%s/%s-%s-%d"
                .formatted(
                        DATA,
                        folder,
                        TIME.format(clock.instant()),
                        id.substring(0, 13),
                        commits.state().number() + 1);
        String name = stem + options.format().extension();
        for (int i = 2; !names.add(name); i++) {
            name = "%s-%d%s".formatted(stem, i, options.format().extension());
        }
        return name;
    }

    private CommittedFile store(PendingFile file, String name) throws InterruptedException {
        byte[] content = file.content();
        retrying("storing a file", () -> {
            store.put(name, content);
            return true;
        });
        List<PendingChange> changes = file.changes();
        Comparator<Instant> byTime = Comparator.naturalOrder();
        return new CommittedFile(
                name,
                changes.size(),
                changes.stream().mapToLong(PendingChange::rows).sum(),
                content.length,
                changes.stream().map(PendingChange::at).min(byTime).orElseThrow(),
                changes.stream().map(PendingChange::at).max(byTime).orElseThrow());
    }

    /** Deletes a file that no entry names; if that fails it stays, and does not count. */
    private void remove(CommittedFile file) {
        try {
            store.delete(file.name());
        } catch (ObjectStoreException e) {
            log.debug("{} stays; no entry names it, so it does not count", file.name(), LoggedFailure.of(e));
        }
    }

    private <T> T retrying(String what, Supplier<T> call) throws InterruptedException {
        ExponentialBackoff pauses = new ExponentialBackoff(FIRST_PAUSE, LONGEST_PAUSE, random);
        long begun = System.nanoTime();
        while (true) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            try {
                T result = call.get();
                if (pauses.attempts() > 0) {
                    log.info("[{}] {} succeeded after {} retries", subscription, what, pauses.attempts());
                }
                return result;
            } catch (StorageException e) { // of the store, or of the partition storage
                Duration elapsed = Duration.ofNanos(System.nanoTime() - begun);
                if (!e.retryable() || elapsed.compareTo(options.retryFor()) >= 0) {
                    throw e;
                }
                if (pauses.attempts() == 0) {
                    log.warn(
                            "[{}] {} failed and is retried for {}; watermarks stay where they are meanwhile",
                            subscription,
                            what,
                            DurationText.of(options.retryFor()),
                            LoggedFailure.of(e));
                }
                Thread.sleep(pauses.next());
            }
        }
    }

    void close() {
        store.close();
    }
}
