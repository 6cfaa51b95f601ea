package dev.spream.sink.gcs;

import com.google.api.services.storage.model.StorageObject;
import com.google.cloud.Tuple;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.StorageOptions;
import com.google.cloud.storage.contrib.nio.testing.LocalStorageHelper;
import com.google.cloud.storage.spi.v1.StorageRpc;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Google's imitation of Cloud Storage in memory, with lists that begin at a name, which it lacks. */
final class MemoryStorage {
    private MemoryStorage() {}

    static Storage create() {
        StorageOptions options = LocalStorageHelper.customOptions(false);
        StorageRpc memory = (StorageRpc) options.getRpc();
        Object seeking = Proxy.newProxyInstance(
                StorageRpc.class.getClassLoader(), new Class<?>[] {StorageRpc.class}, (proxy, method, arguments) -> {
                    try {
                        if (method.getName().equals("list")
                                && arguments.length == 2
                                && arguments[1] instanceof Map<?, ?> asked) {
                            Map<Object, Object> known = new HashMap<>(asked);
                            Object offset = known.remove(StorageRpc.Option.START_OFF_SET);
                            Object found = method.invoke(memory, arguments[0], known);
                            return offset == null ? found : from((Tuple<?, ?>) found, offset.toString());
                        }
                        return method.invoke(memory, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return options.toBuilder()
                .setServiceRpcFactory(any -> (StorageRpc) seeking)
                .build()
                .getService();
    }

    private static Tuple<@Nullable String, Iterable<StorageObject>> from(Tuple<?, ?> found, String offset) {
        Iterable<?> objects = (Iterable<?>) found.y();
        return Tuple.of(
                (String) found.x(),
                StreamSupport.stream(objects.spliterator(), false)
                        .map(StorageObject.class::cast)
                        .filter(object -> object.getName().compareTo(offset) >= 0)
                        .toList());
    }
}
