package dev.spream.emulator.internal.server;

import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.ReadRequest;
import dev.spream.emulator.internal.database.EmulatedDatabase;
import dev.spream.emulator.internal.stream.EmulatorThreads;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import io.grpc.stub.StreamObserver;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * The server-streaming calls. Each has a thread, because a change stream query may last for hours and the call's own
 * thread must stay free to be notified when the client disconnects. Later calls use it again: most of them are short.
 */
record StreamingCalls(Sessions sessions, StatementService statements) {
    private static final Executor THREADS = Executors.newCachedThreadPool(
            EmulatorThreads.builder().name("spream-emulator-stream-", 0).factory());

    void execute(ExecuteSqlRequest request, StreamObserver<PartialResultSet> observer) {
        start(observer, out -> {
            EmulatedDatabase database = sessions.databaseOf(request.getSession());
            Optional<ChangeStreamQuery> query =
                    database.streams().parse(request.getSql(), request.getParams(), request.getParamTypesMap());
            if (query.isPresent()) {
                sessions.accessOf(request.getSession()).checkStream(query.get());
                ChangeStreamCalls.run(
                        database.streams(),
                        query.get().resumingAt(request.getResumeToken()),
                        request.getTransaction(),
                        out);
                return;
            }
            statements.execute(request, (result, scope, multiplexed) -> {
                Results.stream(result, scope, multiplexed, out);
                return result;
            });
            out.onCompleted();
        });
    }

    void read(ReadRequest request, StreamObserver<PartialResultSet> observer) {
        start(observer, out -> {
            statements.read(request, (result, scope, multiplexed) -> {
                Results.stream(result, scope, multiplexed, out);
                return result;
            });
            out.onCompleted();
        });
    }

    static void start(StreamObserver<PartialResultSet> observer, Consumer<PacedObserver<PartialResultSet>> call) {
        PacedObserver<PartialResultSet> out = new PacedObserver<>(observer);
        THREADS.execute(() -> {
            try {
                call.accept(out);
            } catch (RuntimeException e) {
                UnaryCalls.fail(out, e);
            } finally {
                out.interruptNone();
            }
        });
    }
}
