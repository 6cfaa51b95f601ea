package dev.spream.search.lucene;

import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchDocument;
import dev.spream.projection.search.SearchException;
import dev.spream.projection.search.SearchQuery;
import dev.spream.projection.search.SearchResult;
import dev.spream.projection.search.SearchSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopFieldCollectorManager;
import org.apache.lucene.search.TopFieldDocs;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.util.ThreadInterruptedException;
import org.jspecify.annotations.Nullable;

/**
 * An open index, shared by all its users in the process. Writes are serial: each is compared with the result of the
 * previous one. A failed write is rolled back, and the next one starts from the state on disk.
 *
 * <p>Safe for use by many threads. Closing waits for running searches.
 */
final class SharedIndex {
    private final String name;
    private final Path folder;
    private final InstantSource clock;
    private final ReentrantLock writing = new ReentrantLock(); // acquired before the other lock
    private final ReentrantReadWriteLock life = new ReentrantReadWriteLock();

    private @Nullable IndexFiles files; // changed under both locks; null if they are closed or were removed
    private volatile boolean closed; // changed under both locks
    private volatile SearchSchema schema; // changed while writing
    private volatile String id = ""; // changed while writing; empty if unknown
    private boolean broken; // guarded by writing; whether the files must be reopened before the next write
    private String made = ""; // guarded by writing; the id of the index that opening created, until it is first changed

    int users; // guarded by the engine's lock

    private SharedIndex(String name, Path folder, InstantSource clock, SearchSchema schema) {
        this.name = name;
        this.folder = folder;
        this.clock = clock;
        this.schema = schema;
    }

    static SharedIndex open(String name, Path folder, InstantSource clock, SearchSchema schema) {
        SharedIndex index = new SharedIndex(name, folder, clock, schema);
        try {
            boolean fresh = IndexFolder.isNew(folder);
            IndexFiles opened = Uninterrupted.call(() -> IndexFiles.open(name, folder, clock));
            index.files = opened;
            index.id = opened.id();
            index.use(schema);
            index.made = fresh ? opened.id() : "";
            return index;
        } catch (IOException e) {
            throw index.failure("could not be opened", e);
        } catch (RuntimeException t) {
            index.close();
            throw t;
        }
    }

    String name() {
        return name;
    }

    /** Applies the schema, also to the documents that are stored. */
    void use(SearchSchema wanted) {
        writing("could not change its schema", to -> {
            if (!to.has(wanted)) {
                to.eachLive(stored -> {
                    SearchDocument document = IndexDocument.read(stored);
                    put(to.writer(), document, IndexDocument.version(stored), wanted);
                });
                to.commit(wanted);
            }
            schema = wanted;
        });
    }

    String id() {
        writing("could not be identified", to -> {});
        return id;
    }

    /**
     * Returns whether the index with that id is in the folder now. If another one was open, this one is opened instead.
     */
    boolean expect(String wanted) {
        writing.lock();
        try {
            boolean other = !id.equals(wanted);
            boolean there = Uninterrupted.call(() -> isThere(wanted));
            if (there && other) {
                use(schema);
            }
            return there;
        } catch (IOException | RuntimeException e) {
            throw failure("could not be identified", e);
        } finally {
            writing.unlock();
        }
    }

    private boolean isThere(String wanted) throws IOException {
        requireOpen();
        String there = IndexFiles.idIn(folder);
        if (!there.equals(wanted)) {
            if (!there.isEmpty() && there.equals(made)) {
                removeAgain(wanted);
            }
            return false;
        }
        broken |= !id.equals(wanted);
        id = wanted;
        repaired();
        return true;
    }

    /** Removes the index that opening created, so that the expected one can be restored in its place. */
    private void removeAgain(String wanted) {
        life.writeLock().lock();
        try {
            IndexFiles known = files;
            if (known != null) {
                known.abandon();
            }
            files = null;
            broken = true;
            id = wanted;
        } finally {
            life.writeLock().unlock();
        }
        IndexFolder.remove(name, folder);
    }

    /** Empties the index; returns its new id. */
    String clear() {
        writing("was not emptied", to -> {
            made = "";
            to.clear();
            id = ""; // unknown if this fails halfway
            to.commit(schema);
            id = to.id();
        });
        return id;
    }

    void write(List<SearchChange> changes) {
        writing("could not write a batch of %d".formatted(changes.size()), to -> {
            made = "";
            Map<SearchChange, Optional<Document>> before = to.before(changes);
            boolean changed = false;
            for (Map.Entry<SearchChange, Optional<Document>> entry : before.entrySet()) {
                changed |= apply(to.writer(), entry.getKey(), entry.getValue());
            }
            if (changed) {
                to.commit(schema);
            }
        });
    }

    private boolean apply(IndexWriter writer, SearchChange change, Optional<Document> before) throws IOException {
        if (before.map(IndexDocument::version)
                .filter(version -> version >= change.version())
                .isPresent()) {
            return false;
        }
        switch (change) {
            case SearchChange.Put put -> put(writer, put.document(), put.version(), schema);
            case SearchChange.Delete delete ->
                writer.updateDocument(
                        IndexDocument.key(delete.id()),
                        IndexDocument.tombstone(delete.id(), delete.version(), clock.instant()));
            case SearchChange.Merge merge -> {
                Optional<SearchDocument> merged = before.filter(stored -> !IndexDocument.isTombstone(stored))
                        .map(stored -> merged(stored, merge));
                if (merged.isEmpty()) {
                    return false;
                }
                put(writer, merged.get(), merge.version(), schema);
            }
        }
        return true;
    }

    /** Attributes Lucene's argument errors to the document. */
    private void put(IndexWriter writer, SearchDocument document, long version, SearchSchema offered)
            throws IOException {
        try {
            writer.updateDocument(IndexDocument.key(document.id()), IndexDocument.of(document, version, offered));
        } catch (IllegalArgumentException e) {
            throw new SearchException(
                    FailureKind.POISON,
                    "the search index %s refused a batch because one of its documents cannot be indexed; nothing of the batch was written"
                            .formatted(name),
                    e);
        }
    }

    private static SearchDocument merged(Document stored, SearchChange.Merge merge) {
        Map<String, Object> fields =
                new LinkedHashMap<>(IndexDocument.read(stored).fields());
        fields.putAll(merge.fields());
        return new SearchDocument(merge.id(), fields);
    }

    SearchResult search(SearchQuery query) {
        long startedAt = System.nanoTime();
        SearchPlan plan = SearchPlan.of(query, schema);
        return searching(searcher -> {
            TopFieldDocs top = searcher.search(
                    plan.query(),
                    new TopFieldCollectorManager(
                            plan.order(), query.offset() + query.limit(), null, Integer.MAX_VALUE));
            return new SearchResult(
                    top.totalHits.value(),
                    page(searcher, top, query.offset()),
                    Duration.ofNanos(System.nanoTime() - startedAt));
        });
    }

    private static List<SearchDocument> page(IndexSearcher searcher, TopDocs top, int offset) throws IOException {
        List<SearchDocument> page = new ArrayList<>();
        for (int i = offset; i < top.scoreDocs.length; i++) {
            ScoreDoc hit = top.scoreDocs[i];
            page.add(IndexDocument.read(searcher.storedFields().document(hit.doc)));
        }
        return page;
    }

    long size() {
        return searching(searcher -> (long) searcher.count(new TermQuery(IndexDocument.LIVE)));
    }

    void optimize(Duration tombstones) {
        if (closed) {
            return;
        }
        writing("was not optimized", to -> {
            to.writer()
                    .deleteDocuments(
                            IndexDocument.tombstonesUntil(clock.instant().minus(tombstones)));
            to.commit(schema);
        });
        compact();
        writing("was not optimized", to -> to.commit(schema));
    }

    /** Merges the index while writes continue. */
    private void compact() {
        life.readLock().lock();
        try {
            files().writer().forceMerge(1);
        } catch (ThreadInterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("was not compacted", e);
        } catch (IOException | AlreadyClosedException e) {
            throw failure("was not compacted", e);
        } finally {
            life.readLock().unlock();
        }
    }

    private void writing(String failing, Work work) {
        writing.lock();
        try {
            Uninterrupted.call(() -> {
                work.on(repaired());
                return true;
            });
        } catch (IOException | RuntimeException e) {
            takeBack(e);
            throw failure(failing, e);
        } finally {
            writing.unlock();
        }
    }

    private interface Work {
        void on(IndexFiles files) throws IOException;
    }

    private IndexFiles repaired() {
        if (!broken) {
            return files();
        }
        requireOpen();
        life.writeLock().lock();
        try {
            IndexFiles known = files;
            if (known != null) {
                known.abandon();
            }
            IndexFiles again =
                    id.isEmpty() ? IndexFiles.open(name, folder, clock) : IndexFiles.reopen(name, folder, clock, id);
            files = again;
            id = again.id();
            broken = false;
            return again;
        } finally {
            life.writeLock().unlock();
        }
    }

    /** Rolls back uncommitted changes: the next write must neither read nor commit them. */
    private void takeBack(Exception failure) {
        IndexFiles known = files;
        if (known == null || broken) {
            return;
        }
        broken = true;
        try {
            Uninterrupted.call(() -> {
                known.writer().rollback();
                return true;
            });
        } catch (IOException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    private <R> R searching(Look<R> look) {
        life.readLock().lock();
        try {
            return files().look(look);
        } catch (IOException | RuntimeException e) {
            throw failure("could not be searched", e);
        } finally {
            life.readLock().unlock();
        }
    }

    interface Look<R> {
        R in(IndexSearcher searcher) throws IOException;
    }

    private IndexFiles files() {
        IndexFiles known = files;
        if (known == null) {
            requireOpen();
            throw IndexFiles.dropped(name, folder);
        }
        return known;
    }

    private void requireOpen() {
        if (closed) {
            throw isClosed();
        }
    }

    SearchException isClosed() {
        return new SearchException(
                FailureKind.LOCAL,
                "the search index %s is closed, or was dropped; open it again".formatted(name),
                null);
    }

    private SearchException failure(String what, Exception e) {
        return e instanceof SearchException known
                ? known
                : Damage.judge("the search index %s %s".formatted(name, what), folder, e);
    }

    /** Closes the index. Closing again is harmless. */
    void close() {
        writing.lock();
        life.writeLock().lock();
        try {
            IndexFiles known = files;
            files = null;
            closed = true;
            if (known != null) {
                Uninterrupted.call(() -> {
                    known.close();
                    return true;
                });
            }
        } catch (IOException e) {
            throw failure("could not be closed", e);
        } finally {
            life.writeLock().unlock();
            writing.unlock();
        }
    }

    @Override
    public String toString() {
        return "%s in %s".formatted(name, folder);
    }
}
