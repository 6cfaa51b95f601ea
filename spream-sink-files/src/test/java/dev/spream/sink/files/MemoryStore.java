package dev.spream.sink.files;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** A store in memory. */
final class MemoryStore implements ObjectStore {
    private final ConcurrentSkipListMap<String, byte[]> objects = new ConcurrentSkipListMap<>();

    @Override
    public void put(String name, byte[] content) {
        objects.put(name, content.clone());
    }

    @Override
    public boolean putIfAbsent(String name, byte[] content) {
        return objects.putIfAbsent(name, content.clone()) == null;
    }

    @Override
    public Optional<byte[]> get(String name) {
        return Optional.ofNullable(objects.get(name)).map(byte[]::clone);
    }

    @Override
    public List<String> list(String prefix) {
        return objects.tailMap(prefix).keySet().stream()
                .takeWhile(name -> name.startsWith(prefix))
                .toList();
    }

    @Override
    public void delete(String name) {
        objects.remove(name);
    }

    @Override
    public void close() {}

    @Override
    public String toString() {
        return "memory";
    }
}
