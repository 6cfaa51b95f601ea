package dev.spream.search.lucene;

import static java.util.Objects.requireNonNull;

import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchEngine;
import dev.spream.projection.search.SearchException;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Search indexes of Lucene, each in a folder below one directory. An open index is exclusive to this process; opening it
 * in another one fails and names the owner. Changes are durable when {@code write} returns.
 *
 * <p>Text is divided into words by the rules of Unicode, in lower case. Chinese, Japanese and Korean text is searched
 * by pairs of characters, which needs no dictionary.
 */
public final class LuceneSearchEngine implements SearchEngine {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,120}");

    private final Path directory;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, like the following fields. */
    private final Map<String, SharedIndex> open = new HashMap<>();

    private boolean closed;

    private LuceneSearchEngine(Path directory, InstantSource clock) {
        this.directory = directory;
        this.clock = clock;
    }

    /**
     * Opens the indexes below a directory, which is created if absent.
     *
     * @throws SearchException if it cannot be created
     */
    public static LuceneSearchEngine open(Path directory) {
        return open(directory, InstantSource.system());
    }

    static LuceneSearchEngine open(Path directory, InstantSource clock) {
        requireNonNull(clock, "clock");
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new SearchException(
                    FailureKind.LOCAL,
                    "the directory %s of search indexes cannot be created: %s".formatted(directory, e),
                    e);
        }
        return new LuceneSearchEngine(directory.toAbsolutePath().normalize(), clock);
    }

    @Override
    public SearchIndex open(String name, SearchSchema schema) {
        Path folder = folder(name);
        requireNonNull(schema, "schema");
        lock.lock();
        try {
            requireOpen();
            SharedIndex index = open.get(name);
            if (index == null) {
                index = SharedIndex.open(name, folder, clock, schema);
                open.put(name, index);
            } else {
                index.use(schema);
            }
            index.users++;
            return new LuceneSearchIndex(this, index);
        } finally {
            lock.unlock();
        }
    }

    private Path folder(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "the name of an index has %d characters, must be 1 to 120 letters, digits, hyphens and underscores"
                            .formatted(name.length()));
        }
        return directory.resolve(name);
    }

    private void requireOpen() {
        if (closed) {
            throw new SearchException(
                    FailureKind.LOCAL, "the search engine over %s is closed".formatted(directory), null);
        }
    }

    void release(SharedIndex index) {
        lock.lock();
        try {
            index.users--;
            if (index.users == 0 && open.remove(index.name(), index)) {
                index.close();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Set<String> indexes() {
        try (Stream<Path> folders = Files.list(directory)) {
            Set<String> names = new TreeSet<>();
            folders.filter(Files::isDirectory)
                    .filter(IndexFolder::isIndex)
                    .forEach(folder -> names.add(String.valueOf(folder.getFileName())));
            return names;
        } catch (IOException e) {
            throw new SearchException(
                    FailureKind.TRANSIENT,
                    "the directory %s of search indexes cannot be read: %s".formatted(directory, e),
                    e);
        }
    }

    @Override
    public boolean drop(String name) {
        Path folder = folder(name);
        lock.lock();
        try {
            requireOpen();
            SharedIndex index = open.remove(name);
            if (index != null) {
                index.close();
            }
            return IndexFolder.remove(name, folder);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            open.values().forEach(SharedIndex::close);
            open.clear();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "Lucene in " + directory;
    }
}
