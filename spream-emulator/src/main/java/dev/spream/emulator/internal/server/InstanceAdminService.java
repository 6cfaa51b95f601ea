package dev.spream.emulator.internal.server;

import static dev.spream.emulator.internal.server.UnaryCalls.answer;

import com.google.longrunning.Operation;
import com.google.protobuf.Empty;
import com.google.spanner.admin.instance.v1.CreateInstanceMetadata;
import com.google.spanner.admin.instance.v1.CreateInstanceRequest;
import com.google.spanner.admin.instance.v1.DeleteInstanceRequest;
import com.google.spanner.admin.instance.v1.GetInstanceConfigRequest;
import com.google.spanner.admin.instance.v1.GetInstanceRequest;
import com.google.spanner.admin.instance.v1.Instance;
import com.google.spanner.admin.instance.v1.InstanceAdminGrpc;
import com.google.spanner.admin.instance.v1.InstanceConfig;
import com.google.spanner.admin.instance.v1.ListInstanceConfigsRequest;
import com.google.spanner.admin.instance.v1.ListInstanceConfigsResponse;
import com.google.spanner.admin.instance.v1.ListInstancesRequest;
import com.google.spanner.admin.instance.v1.ListInstancesResponse;
import dev.spream.emulator.internal.database.WireTimestamps;
import dev.spream.emulator.internal.sql.Errors;
import io.grpc.stub.StreamObserver;
import java.time.Instant;

/** Instances, which are only names here. There is one instance configuration, as in Google's emulator. */
final class InstanceAdminService extends InstanceAdminGrpc.InstanceAdminImplBase {
    private static final String CONFIG = "emulator-config";
    private static final int UNITS_PER_NODE = 1000;

    private final DatabaseCatalog catalog;
    private final OperationsService operations;

    InstanceAdminService(DatabaseCatalog catalog, OperationsService operations) {
        this.catalog = catalog;
        this.operations = operations;
    }

    private static InstanceConfig config(String project) {
        return InstanceConfig.newBuilder()
                .setName(project + "/instanceConfigs/" + CONFIG)
                .setDisplayName("Emulator Instance Config")
                .build();
    }

    @Override
    public void listInstanceConfigs(
            ListInstanceConfigsRequest request, StreamObserver<ListInstanceConfigsResponse> observer) {
        answer(
                observer,
                () -> ListInstanceConfigsResponse.newBuilder()
                        .addInstanceConfigs(config(request.getParent()))
                        .build());
    }

    @Override
    public void getInstanceConfig(GetInstanceConfigRequest request, StreamObserver<InstanceConfig> observer) {
        answer(observer, () -> {
            String name = request.getName();
            if (!name.endsWith("/instanceConfigs/" + CONFIG)) {
                throw Errors.notFound("Instance config not found: %s", name);
            }
            return config(name.substring(0, name.indexOf("/instanceConfigs/")));
        });
    }

    /** Returns an instance in state READY. */
    static Instance ready(Instance.Builder instance, Instant createTime) {
        if (instance.getNodeCount() == 0 && instance.getProcessingUnits() == 0) {
            instance.setNodeCount(1);
        }
        if (instance.getProcessingUnits() == 0) {
            instance.setProcessingUnits(instance.getNodeCount() * UNITS_PER_NODE);
        }
        String project =
                instance.getName().substring(0, Math.max(0, instance.getName().indexOf("/instances/")));
        return instance.setConfig(project + "/instanceConfigs/" + CONFIG)
                .setState(Instance.State.READY)
                .setCreateTime(WireTimestamps.timestamp(createTime))
                .build();
    }

    @Override
    public void createInstance(CreateInstanceRequest request, StreamObserver<Operation> observer) {
        answer(observer, () -> {
            String name = request.getParent() + "/instances/" + request.getInstanceId();
            Instance instance = ready(
                    request.getInstance().toBuilder().setName(name),
                    catalog.time().instant());
            catalog.createInstance(instance);
            CreateInstanceMetadata metadata =
                    CreateInstanceMetadata.newBuilder().setInstance(instance).build();
            return operations.done(name, "", metadata, instance);
        });
    }

    @Override
    public void getInstance(GetInstanceRequest request, StreamObserver<Instance> observer) {
        answer(observer, () -> catalog.instance(request.getName()));
    }

    @Override
    public void listInstances(ListInstancesRequest request, StreamObserver<ListInstancesResponse> observer) {
        answer(
                observer,
                () -> ListInstancesResponse.newBuilder()
                        .addAllInstances(catalog.instancesOf(request.getParent()))
                        .build());
    }

    @Override
    public void deleteInstance(DeleteInstanceRequest request, StreamObserver<Empty> observer) {
        answer(observer, () -> {
            catalog.deleteInstance(request.getName());
            return Empty.getDefaultInstance();
        });
    }
}
