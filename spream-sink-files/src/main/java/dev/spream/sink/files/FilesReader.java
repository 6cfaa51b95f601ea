package dev.spream.sink.files;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the files that count, in order, from the log that the sink wrote. Each change is in one of them once. The changes
 * of each key are in order, over the files in the order of their entries and within each file. Safe for use by many
 * threads; holds nothing open.
 */
public final class FilesReader {
    private final ObjectStore store;

    private FilesReader(ObjectStore store) {
        this.store = store;
    }

    /** Creates a reader. The caller closes the store. */
    public static FilesReader of(ObjectStore store) {
        return new FilesReader(requireNonNull(store, "store"));
    }

    /**
     * The files of one entry of the log.
     *
     * @param number the number of the entry
     * @param files its files, in the order in which their changes have to take effect
     */
    public record Entry(long number, List<CommittedFile> files) {
        public Entry {
            files = List.copyOf(files);
        }
    }

    /**
     * Returns the entries after that number, in order; after 0 those of the whole log. Begin with the number of the last
     * one next time.
     *
     * @throws ObjectStoreException if the store fails, or has something else there, or the next entry was deleted
     */
    public List<Entry> entries(long after) {
        List<Entry> entries = new ArrayList<>();
        long number = after == 0 ? first() : after + 1;
        Optional<byte[]> content = next(number);
        while (content.isPresent()) {
            LogEntry commit = FilesLog.read(FilesLog.entry(number), content.get());
            entries.add(new Entry(number, commit.files()));
            number++;
            content = store.get(FilesLog.entry(number));
        }
        return entries;
    }

    /** Returns an entry, which is absent only if there is no later one either. */
    private Optional<byte[]> next(long number) {
        Optional<byte[]> content = store.get(FilesLog.entry(number));
        if (content.isPresent()) {
            return content;
        }
        Optional<String> later = FilesLog.laterThan(store, number);
        if (later.isEmpty()) {
            return Optional.empty();
        }
        return store.get(FilesLog.entry(number)) // it may have been stored meanwhile, and the later one after it
                .or(() -> {
                    throw new ObjectStoreException(
                            "%s is missing from the log in %s, which continues to %s: it was deleted before it was read. Restore it, or continue with a later entry, without its changes"
                                    .formatted(FilesLog.entry(number), store, later.get()),
                            false,
                            null);
                });
    }

    /** Returns the number of the first entry; earlier ones may have been deleted. */
    private long first() {
        return store.list(FilesLog.ENTRIES).stream()
                .findFirst()
                .map(name -> store.get(name)
                        .map(content -> FilesLog.read(name, content).number())
                        .orElse(1L))
                .orElse(1L);
    }

    /** Returns all files that count, in the order of their entries. */
    public List<CommittedFile> files() {
        return entries(0).stream().flatMap(entry -> entry.files().stream()).toList();
    }

    /**
     * Returns the content of a file, as it is stored.
     *
     * @throws ObjectStoreException if it was deleted, or the store fails
     */
    public byte[] content(CommittedFile file) {
        return store.get(file.name())
                .orElseThrow(() -> new ObjectStoreException(
                        "%s is missing; it was deleted after it was committed".formatted(file.name()), false, null));
    }
}
