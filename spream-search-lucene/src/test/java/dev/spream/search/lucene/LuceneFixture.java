package dev.spream.search.lucene;

import dev.spream.projection.search.SearchEngine;
import dev.spream.testkit.search.SearchFixture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** An engine over a directory of its own, which may be spoilt. */
final class LuceneFixture implements SearchFixture {
    private final Path directory;
    private final UnaryOperator<SearchEngine> spoil;
    private SearchEngine engine;

    LuceneFixture(UnaryOperator<SearchEngine> spoil) throws IOException {
        this.directory = Files.createTempDirectory("spream-lucene");
        this.spoil = spoil;
        this.engine = opened();
    }

    private SearchEngine opened() {
        return spoil.apply(LuceneSearchEngine.open(directory));
    }

    @Override
    public SearchEngine engine() {
        return engine;
    }

    @Override
    public SearchEngine reopened() {
        engine.close();
        engine = opened();
        return engine;
    }

    @Override
    public void close() {
        engine.close();
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> inside = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : inside) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
