package dev.spream.emulator.internal.server;

import dev.spream.emulator.internal.sql.Errors;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Converts results and failures into the responses of gRPC calls. */
final class UnaryCalls {
    private static final Logger log = LoggerFactory.getLogger(UnaryCalls.class);

    private UnaryCalls() {}

    /** Responds to a unary call with the result or the failure of the work. */
    static <T> void answer(StreamObserver<T> observer, Supplier<T> work) {
        T response;
        try {
            response = work.get();
        } catch (RuntimeException e) {
            fail(observer, e);
            return;
        }
        observer.onNext(response);
        observer.onCompleted();
    }

    /** Ends a call with a failure; a failure other than Spanner's is a defect of the emulator and is logged. */
    static void fail(StreamObserver<?> observer, RuntimeException failure) {
        if (failure instanceof StatusRuntimeException status) {
            observer.onError(status);
            return;
        }
        log.error("the emulator failed to answer a call; the client gets INTERNAL", failure);
        observer.onError(Errors.internal(failure));
    }
}
