package dev.spream.search.lucene;

import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchException;
import java.io.EOFException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.apache.lucene.index.CorruptIndexException;
import org.apache.lucene.index.IndexFormatTooNewException;
import org.apache.lucene.index.IndexFormatTooOldException;
import org.apache.lucene.index.IndexNotFoundException;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.util.ThreadInterruptedException;

/** Maps the failures of Lucene to search exceptions. */
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
            case AlreadyClosedException closed
            when closed.getCause() instanceof Exception cause -> judge(what, folder, cause);
            case AlreadyClosedException closed -> passing(what, closed);
            case ThreadInterruptedException interrupted -> passing(what, interrupted);
            case UncheckedIOException failed -> passing(what, failed);
            case IndexSearcher.TooManyClauses many ->
                new SearchException(
                        FailureKind.POISON,
                        "%s: the search has too many words; search for fewer".formatted(what),
                        many);
            case RuntimeException nonsense -> damaged(what, folder, nonsense); // caused by what was read
            default -> passing(what, e);
        };
    }

    private static SearchException passing(String what, Exception e) {
        return new SearchException(
                FailureKind.TRANSIENT,
                "%s: %s; earlier writes are kept".formatted(what, e.getClass().getSimpleName()),
                e);
    }

    private static SearchException damaged(String what, Path folder, Exception e) {
        return new SearchException(
                FailureKind.LOCAL,
                "%s: the files in %s are damaged, or were written by an incompatible version of Lucene (%s); nothing was written: restore the folder, or build the index again with 'projection rebuild' and cut over, and remove the folder afterwards"
                        .formatted(what, folder, e.getClass().getSimpleName()),
                e);
    }
}
