package dev.spream.search.lucene;

import dev.spream.core.record.Json;
import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchException;
import dev.spream.projection.search.SearchSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SegmentInfos;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.LockObtainFailedException;
import org.apache.lucene.util.Bits;

/**
 * The files of an index, open for writing and searching. Searches see the last commit. Writes by one thread at a time;
 * reads by any.
 */
final class IndexFiles {
    private static final String FORMAT = "spream.format";
    private static final String CURRENT = "2";
    private static final String ID = "spream.id";
    private static final String SCHEMA = "spream.schema";

    private final FSDirectory directory;
    private final IndexWriter writer;
    private final SearcherManager searchers;
    private volatile String id;

    private IndexFiles(FSDirectory directory, IndexWriter writer, SearcherManager searchers) {
        this.id = Optional.ofNullable(data(writer).get(ID)).orElseGet(IndexFiles::newId);
        this.directory = directory;
        this.writer = writer;
        this.searchers = searchers;
    }

    /** Opens the index in the folder again; it must have that id. */
    static IndexFiles reopen(String name, Path folder, InstantSource clock, String id) {
        if (IndexFolder.isNew(folder)) {
            throw dropped(name, folder);
        }
        IndexFiles files = open(name, folder, clock);
        if (!files.id.equals(id)) {
            files.abandon();
            throw dropped(name, folder);
        }
        return files;
    }

    static SearchException dropped(String name, Path folder) {
        return new SearchException(
                FailureKind.LOCAL,
                "the search index %s in %s is missing or was replaced by another one; nothing was written: restore it and restart the process, or rebuild it with 'projection rebuild' and cut over"
                        .formatted(name, folder),
                null);
    }

    /** Opens the index in the folder, or creates one if the folder is empty. */
    static IndexFiles open(String name, Path folder, InstantSource clock) {
        boolean fresh = IndexFolder.isNew(folder);
        if (!fresh && !IndexFolder.isIndex(folder)) {
            throw new SearchException(
                    FailureKind.LOCAL,
                    "%s, the folder of the search index %s, contains other files; nothing was changed: empty it, or configure another directory"
                            .formatted(folder, name),
                    null);
        }
        try {
            Files.createDirectories(folder);
            return open(FSDirectory.open(folder), name, folder, fresh, clock);
        } catch (IOException | IllegalArgumentException e) {
            throw Damage.judge("the search index %s could not be opened".formatted(name), folder, e);
        }
    }

    private static IndexFiles open(FSDirectory directory, String name, Path folder, boolean fresh, InstantSource clock)
            throws IOException {
        try {
            IndexWriter writer = new IndexWriter(directory, configuration());
            try {
                if (!fresh) {
                    requireOurs(writer, name, folder);
                }
                IndexFolder.own(folder, clock);
                return new IndexFiles(directory, writer, new SearcherManager(writer, null));
            } catch (Throwable t) {
                writer.rollback();
                throw t;
            }
        } catch (LockObtainFailedException e) {
            directory.close();
            throw IndexFolder.inUse(name, folder, e);
        } catch (Throwable t) {
            directory.close();
            throw t;
        }
    }

    private static IndexWriterConfig configuration() {
        return new IndexWriterConfig(IndexText.DOCUMENTS)
                .setOpenMode(IndexWriterConfig.OpenMode.CREATE_OR_APPEND)
                .setCommitOnClose(false);
    }

    private static void requireOurs(IndexWriter writer, String name, Path folder) {
        if (!CURRENT.equals(data(writer).get(FORMAT))) {
            throw new SearchException(
                    FailureKind.LOCAL,
                    "%s, the folder of the search index %s, contains an index of another program or of an incompatible version of spream; nothing was changed: configure another directory, or remove the folder and build the index again"
                            .formatted(folder, name),
                    null);
        }
    }

    /** Returns the id of the index that is in the folder now, which may not be the open one; empty if there is none. */
    static String idIn(Path folder) throws IOException {
        if (!IndexFolder.isIndex(folder)) {
            return "";
        }
        try (FSDirectory directory = FSDirectory.open(folder)) {
            return SegmentInfos.readLatestCommit(directory).getUserData().getOrDefault(ID, "");
        }
    }

    private static Map<String, String> data(IndexWriter writer) {
        Map<String, String> data = new LinkedHashMap<>();
        Iterable<Map.Entry<String, String>> committed = writer.getLiveCommitData();
        if (committed != null) {
            committed.forEach(entry -> data.put(entry.getKey(), entry.getValue()));
        }
        return data;
    }

    IndexWriter writer() {
        return writer;
    }

    boolean has(SearchSchema schema) {
        return text(schema).equals(data(writer).get(SCHEMA));
    }

    private static String text(SearchSchema schema) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("searchable", schema.searchable());
        members.put("filterable", List.copyOf(new TreeSet<>(schema.filterable())));
        members.put("sortable", List.copyOf(new TreeSet<>(schema.sortable())));
        return Json.text(members);
    }

    String id() {
        return id;
    }

    /** Removes all documents and tombstones, and changes the id; takes effect with the next commit. */
    void clear() throws IOException {
        writer.deleteAll();
        id = newId();
    }

    private static String newId() {
        return UUID.randomUUID().toString();
    }

    /** Makes all changes durable, and then visible to searches. */
    void commit(SearchSchema schema) throws IOException {
        writer.setLiveCommitData(
                Map.of(FORMAT, CURRENT, ID, id, SCHEMA, text(schema)).entrySet());
        writer.commit();
        searchers.maybeRefreshBlocking();
    }

    /** Returns the stored document before each change, tombstones included. */
    Map<SearchChange, Optional<Document>> before(List<SearchChange> changes) throws IOException {
        return look(searcher -> {
            Map<SearchChange, Optional<Document>> before = new LinkedHashMap<>();
            for (SearchChange change : changes) {
                before.put(change, stored(searcher, change.id()));
            }
            return before;
        });
    }

    private static Optional<Document> stored(IndexSearcher searcher, String id) throws IOException {
        ScoreDoc[] found = searcher.search(new TermQuery(IndexDocument.key(id)), 1).scoreDocs;
        return found.length == 0
                ? Optional.empty()
                : Optional.of(searcher.storedFields().document(found[0].doc));
    }

    /** Calls the work with each committed document that is not a tombstone. */
    void eachLive(Each work) throws IOException {
        look(searcher -> {
            for (LeafReaderContext leaf : searcher.getIndexReader().leaves()) {
                eachLive(leaf.reader(), work);
            }
            return work;
        });
    }

    private static void eachLive(LeafReader segment, Each work) throws IOException {
        Bits there = segment.getLiveDocs();
        StoredFields documents = segment.storedFields();
        for (int number = 0; number < segment.maxDoc(); number++) {
            if (there == null || there.get(number)) {
                Document document = documents.document(number);
                if (!IndexDocument.isTombstone(document)) {
                    work.with(document);
                }
            }
        }
    }

    interface Each {
        void with(Document document) throws IOException;
    }

    <R> R look(SharedIndex.Look<R> look) throws IOException {
        IndexSearcher searcher = searchers.acquire();
        try {
            return look.in(searcher);
        } finally {
            searchers.release(searcher);
        }
    }

    /** Frees all resources. Uncommitted changes are lost. */
    void close() throws IOException {
        try (directory) {
            searchers.close();
            writer.rollback();
        }
    }

    /** Closes files that have failed; further failures are ignored. */
    void abandon() {
        try {
            close();
        } catch (IOException | RuntimeException e) {
            // ignored: opening the files again reports the failure
        }
    }
}
