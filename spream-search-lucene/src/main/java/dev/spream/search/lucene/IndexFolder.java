package dev.spream.search.lucene;

import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.Lock;
import org.apache.lucene.store.LockObtainFailedException;

/** The folder of an index: whether it contains one, and its owner. */
final class IndexFolder {
    private static final String OWNER = "owner.txt";
    private static final Set<String> BEFORE_THE_FIRST_COMMIT = Set.of("write.lock", OWNER, "pending_segments_1");

    private IndexFolder() {}

    static boolean isIndex(Path folder) {
        return names(folder).stream().anyMatch(name -> name.startsWith("segments_"));
    }

    /**
     * Returns whether an index can be created there: the folder is empty, or contains only the start of a creation that
     * was interrupted.
     */
    static boolean isNew(Path folder) {
        return BEFORE_THE_FIRST_COMMIT.containsAll(names(folder));
    }

    private static List<String> names(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> String.valueOf(file.getFileName())).toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (NotDirectoryException e) {
            throw new SearchException(
                    FailureKind.LOCAL, folder + " is not a folder, so it cannot contain a search index", e);
        } catch (IOException e) {
            throw new SearchException(
                    FailureKind.TRANSIENT, "the folder %s cannot be read: %s".formatted(folder, e), e);
        }
    }

    static void own(Path folder, InstantSource clock) throws IOException {
        Files.writeString(
                folder.resolve(OWNER),
                "process %d on %s, since %s".formatted(ProcessHandle.current().pid(), host(), clock.instant()));
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (IOException e) {
            return "this host";
        }
    }

    static String owner(Path folder) {
        try {
            return Files.readString(folder.resolve(OWNER));
        } catch (IOException e) {
            return "an unknown process";
        }
    }

    /** Removes the index and its folder; returns false if there is none. */
    static boolean remove(String name, Path folder) {
        if (!isIndex(folder)) {
            return false;
        }
        requireNotInUse(name, folder);
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : inOrder(files.toList())) {
                Files.deleteIfExists(file);
            }
            Files.delete(folder);
            return true;
        } catch (IOException e) {
            throw new SearchException(
                    FailureKind.TRANSIENT,
                    "the search index %s could not be removed completely from %s: %s; remove the folder manually, or drop the index again"
                            .formatted(name, folder, e),
                    e);
        }
    }

    /** Puts the files that make it an index last, so that an index that was removed in part can be dropped again. */
    private static List<Path> inOrder(List<Path> files) {
        return Stream.concat(
                        files.stream().filter(file -> !isSegments(file)),
                        files.stream().filter(IndexFolder::isSegments))
                .toList();
    }

    private static boolean isSegments(Path file) {
        return String.valueOf(file.getFileName()).startsWith("segments_");
    }

    /** Returns the failure of an index that is open in another process. */
    static SearchException inUse(String name, Path folder, IOException cause) {
        return new SearchException(
                FailureKind.TRANSIENT,
                "the search index %s in %s is open in another process: %s; only one process at a time can use it: stop that process first. Do not configure another directory instead: each would then have only a part of the documents"
                        .formatted(name, folder, owner(folder)),
                cause);
    }

    private static void requireNotInUse(String name, Path folder) {
        try (FSDirectory directory = FSDirectory.open(folder);
                Lock lock = directory.obtainLock(IndexWriter.WRITE_LOCK_NAME)) {
            lock.ensureValid();
        } catch (LockObtainFailedException e) {
            throw inUse(name, folder, e);
        } catch (IOException e) {
            throw new SearchException(
                    FailureKind.TRANSIENT, "the folder %s cannot be locked: %s".formatted(folder, e), e);
        }
    }
}
