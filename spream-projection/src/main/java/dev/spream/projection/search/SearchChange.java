package dev.spream.projection.search;

import static java.util.Objects.requireNonNull;

import java.util.Map;

/**
 * A change of a document. Versions order the changes of a document: an index ignores a change that is not newer than
 * the latest one of the document, deletions included, so that late or repeated changes have no effect.
 */
public sealed interface SearchChange {
    String id();

    /**
     * Returns the version of the event that caused it, 1 or more; several changes of one event have the same version
     * and count as one change.
     */
    long version();

    /** Replaces the document. */
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

    /** Replaces some fields of the document; a document that does not exist is not created. */
    record Merge(String id, Map<String, Object> fields, long version) implements SearchChange {
        public Merge {
            SearchDocument.checkId(id);
            fields = SearchDocument.checked(fields);
            checkVersion(version);
        }
    }

    /** Deletes the document. */
    record Delete(String id, long version) implements SearchChange {
        public Delete {
            SearchDocument.checkId(id);
            checkVersion(version);
        }
    }

    private static void checkVersion(long version) {
        if (version < 1) {
            throw new IllegalArgumentException("the version of a document is %d, must be 1 or more".formatted(version));
        }
    }
}
