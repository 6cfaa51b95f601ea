package dev.spream.emulator.internal.server;

import com.google.longrunning.GetOperationRequest;
import com.google.longrunning.Operation;
import com.google.protobuf.Any;
import com.google.protobuf.Message;
import dev.spream.emulator.internal.sql.Errors;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Long-running operations. Those of the emulator are complete when they are returned; clients may still query them. */
final class OperationsService implements BindableService {
    private static final String SERVICE = "google.longrunning.Operations";
    private static final MethodDescriptor<GetOperationRequest, Operation> GET_OPERATION =
            MethodDescriptor.<GetOperationRequest, Operation>newBuilder()
                    .setType(MethodDescriptor.MethodType.UNARY)
                    .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "GetOperation"))
                    .setRequestMarshaller(ProtoUtils.marshaller(GetOperationRequest.getDefaultInstance()))
                    .setResponseMarshaller(ProtoUtils.marshaller(Operation.getDefaultInstance()))
                    .build();

    private final Map<String, Operation> operations = new ConcurrentHashMap<>();
    private final AtomicLong next = new AtomicLong();

    /** Records a completed operation on a resource, under its own id if the client set one. */
    Operation done(String resource, String id, Message metadata, Message response) {
        String operationId = id.isEmpty() ? "_auto_op_" + next.incrementAndGet() : id;
        Operation operation = Operation.newBuilder()
                .setName(resource + "/operations/" + operationId)
                .setDone(true)
                .setMetadata(Any.pack(metadata))
                .setResponse(Any.pack(response))
                .build();
        operations.put(operation.getName(), operation);
        return operation;
    }

    private Operation operation(String name) {
        Operation operation = operations.get(name);
        if (operation == null) {
            throw Errors.notFound("Operation not found: %s", name);
        }
        return operation;
    }

    @Override
    public ServerServiceDefinition bindService() {
        return ServerServiceDefinition.builder(SERVICE)
                .addMethod(
                        GET_OPERATION,
                        ServerCalls.asyncUnaryCall(
                                (request, observer) -> UnaryCalls.answer(observer, () -> operation(request.getName()))))
                .build();
    }
}
