package dev.spream.sinks;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A disk that says what is durable, and fails when told. Confined to one thread at a time. */
final class RecordingDisk implements Disk {
    /** A force, with the number of bytes of the file then; none for a folder. */
    record Force(String name, long bytes, Set<String> filesThen) {}

    private final List<Force> forces = new ArrayList<>();
    private Set<String> durableNames = Set.of();
    private @Nullable String failing;

    @Override
    public void force(Path path, FileDescriptor file) throws IOException {
        String name = String.valueOf(path.getFileName());
        failIfTold("file");
        forces.add(new Force(name, Files.size(path), names(path.resolveSibling("."))));
        Disk.REAL.force(path, file);
    }

    @Override
    public void forceFolder(Path folder) throws IOException {
        failIfTold("folder");
        durableNames = names(folder);
        forces.add(new Force("folder", 0, durableNames));
        Disk.REAL.forceFolder(folder);
    }

    private static Set<String> names(Path folder) throws IOException {
        return new TreeSet<>(JsonlFiles.names(folder));
    }

    private void failIfTold(String what) throws IOException {
        if (what.equals(failing)) {
            failing = null;
            throw new IOException("the disk failed once");
        }
    }

    void failNextFile() {
        failing = "file";
    }

    void failNextFolder() {
        failing = "folder";
    }

    /** Returns the forces since the last call. */
    List<Force> takeForces() {
        List<Force> taken = List.copyOf(forces);
        forces.clear();
        return taken;
    }

    /** The files that would be there after the power went. */
    Set<String> durableNames() {
        return durableNames;
    }
}
