package dev.spream.api.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * The owner and the POSIX permissions of a file or folder.
 *
 * @param sticky whether only owners may rename and remove the files of the folder
 * @param readOnly whether a read-only mount prevents writes that the permissions allow
 */
record FilePermissions(
        int uid, String owner, String group, Set<PosixFilePermission> permissions, boolean sticky, boolean readOnly) {
    private static final String VIEW = "unix"; // in addition to POSIX: the numeric owner, and the sticky bit
    private static final int STICKY = 01000;
    private static final int ROOT = 0;
    private static final Set<PosixFilePermission> OF_OTHERS =
            EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    FilePermissions {
        permissions = Set.copyOf(permissions);
    }

    /** Returns whether the file's file system provides these attributes. */
    static boolean areSupportedFor(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains(VIEW);
    }

    @SuppressWarnings("unchecked") // the attribute has that type
    static FilePermissions of(Path file, LinkOption... links) throws IOException {
        Map<String, Object> read = Files.readAttributes(file, VIEW + ":uid,mode,owner,group,permissions", links);
        Set<PosixFilePermission> permissions = (Set<PosixFilePermission>) value(read, "permissions");
        return new FilePermissions(
                (Integer) value(read, "uid"),
                ((UserPrincipal) value(read, "owner")).getName(),
                ((GroupPrincipal) value(read, "group")).getName(),
                permissions,
                ((Integer) value(read, "mode") & STICKY) != 0,
                permissions.stream().anyMatch(OF_OTHERS::contains) && Mounts.areReadOnlyAt(file));
    }

    private static Object value(Map<String, Object> read, String name) throws IOException {
        Object value = read.get(name);
        if (value == null) {
            throw new IOException("the file system does not provide the " + name);
        }
        return value;
    }

    boolean belongsTo(String user) {
        return uid == ROOT || owner.equals(user);
    }

    /**
     * Returns whether users other than the owner may write to it. A group with the owner's name is assumed to contain
     * the owner only.
     */
    boolean othersCanWrite() {
        boolean group = permissions.contains(PosixFilePermission.GROUP_WRITE) && !this.group.equals(owner);
        return !readOnly && (group || permissions.contains(PosixFilePermission.OTHERS_WRITE));
    }

    /** Returns whether users other than the owner may replace files of the folder. */
    boolean othersCanReplace() {
        return othersCanWrite() && !sticky;
    }

    /** In the form {@code rwxrwxr-x ann:staff}. */
    @Override
    public String toString() {
        return "%s %s:%s".formatted(PosixFilePermissions.toString(permissions), owner, group);
    }
}
