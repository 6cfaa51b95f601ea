package dev.spream.projection.search;

import static java.util.Objects.requireNonNull;

import java.util.Map;

/**
 * A change of a document. Its version says which of two changes of the document is the later one: an index passes over
 * what is not newer than what it has seen of it, deletions included, so that nothing that comes late or again undoes
 * it.
 */
public sealed interface SearchChange {
    String id();

    /** That of the event which it comes from, 1 or more; several changes of one event have the same and are one change. */
    long version();

    /** The document is this one. */
    record Put(SearchDocument document, long version) implements SearchChange {
        public Put {
            requireNonNull(document, "document");
            checkVersion(version);
        }

        @Override
        public String id() {
            return document.id();
        }
    }

    /** These fields of the document are others now; a document that is not there stays away. */
    record Merge(String id, Map<String, Object> fields, long version) implements SearchChange {
        public Merge {
            SearchDocument.checkId(id);
            fields = SearchDocument.checked(fields);
            checkVersion(version);
        }
    }

    /** The document is gone. */
    record Delete(String id, long version) implements SearchChange {
        public Delete {
            SearchDocument.checkId(id);
            checkVersion(version);
        }
    }

    private static void checkVersion(long version) {
        if (version < 1) {
            throw new IllegalArgumentException("version %d of a document, must be 1 or more".formatted(version));
        }
    }
}
