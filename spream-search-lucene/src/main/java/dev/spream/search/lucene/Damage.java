package dev.spream.search.lucene;

import dev.spream.core.projection.FailureKind;
import dev.spream.core.search.SearchException;
import java.io.EOFException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.apache.lucene.index.CorruptIndexException;
import org.apache.lucene.index.IndexFormatTooNewException;
import org.apache.lucene.index.IndexFormatTooOldException;
import org.apache.lucene.index.IndexNotFoundException;

/** What Lucene's failures mean. */
final class Damage {
    private Damage() {}

    static SearchException judge(String what, Path folder, Exception e) {
        return switch (e) {
            case CorruptIndexException damaged -> damaged(what, folder, damaged);
            case IndexNotFoundException damaged -> damaged(what, folder, damaged);
            case IndexFormatTooNewException other -> damaged(what, folder, other);
            case IndexFormatTooOldException other -> damaged(what, folder, other);
            case EOFException damaged -> damaged(what, folder, damaged);
            case NoSuchFileException damaged -> damaged(what, folder, damaged);
            case IllegalArgumentException refused ->
                new SearchException(FailureKind.POISON, "%s: a document cannot be indexed".formatted(what), refused);
            default ->
                new SearchException(
                        FailureKind.TRANSIENT,
                        "%s: %s; what was written before is there"
                                .formatted(what, e.getClass().getSimpleName()),
                        e);
        };
    }

    private static SearchException damaged(String what, Path folder, Exception e) {
        return new SearchException(
                FailureKind.FATAL,
                "%s: the files in %s are damaged, or of another version of Lucene (%s); remove the folder and build the index again"
                        .formatted(what, folder, e.getClass().getSimpleName()),
                e);
    }
}
