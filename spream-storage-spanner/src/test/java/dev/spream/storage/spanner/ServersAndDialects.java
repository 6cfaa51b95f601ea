package dev.spream.storage.spanner;

import com.google.cloud.spanner.Dialect;
import dev.spream.servers.SpannerServers;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** For {@code @MethodSource}: the servers of this run, each with its dialects. */
final class ServersAndDialects {
    private ServersAndDialects() {}

    /** For tests of SQL, and of what the server makes of it. */
    static Stream<Arguments> all() {
        return SpannerServers.all()
                .flatMap(server -> Stream.of(Dialect.values()).map(dialect -> Arguments.of(server, dialect)));
    }

    /** For tests of what runs over an adapter that others show in each dialect: one, unless the run takes all. */
    static Stream<Arguments> one() {
        return SpannerServers.areAll() ? all() : all().limit(1);
    }
}
