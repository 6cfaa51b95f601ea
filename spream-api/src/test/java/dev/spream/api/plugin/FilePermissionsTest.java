package dev.spream.api.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the meaning of permissions for code in a folder, without users and groups of this machine. */
final class FilePermissionsTest {
    private static final List<String> UIDS = List.of("root", "ann", "bob");

    private static FilePermissions permissions(String permissions, String owner, String group, boolean sticky) {
        return new FilePermissions(
                UIDS.indexOf(owner), owner, group, PosixFilePermissions.fromString(permissions), sticky, false);
    }

    @ParameterizedTest
    @CsvSource({
        "rwxr-xr-x, staff, false, false, false",
        "rwxrwxr-x, staff, false, true, true",
        "rwxrwxr-x, ann, false, false, false", // as umask 002 leaves it where each user has a group
        "rwxrwxrwx, ann, false, true, true",
        "rwxrwxrwx, ann, true, true, false", // as /tmp
    })
    void others_may_write_unless_the_group_is_the_owners_and_replace_unless_the_folder_is_sticky(
            String permissions, String group, boolean sticky, boolean write, boolean replace) {
        FilePermissions folder = permissions(permissions, "ann", group, sticky);
        assertThat(folder.othersCanWrite()).isEqualTo(write);
        assertThat(folder.othersCanReplace()).isEqualTo(replace);
        FilePermissions mounted = new FilePermissions(
                folder.uid(), folder.owner(), folder.group(), folder.permissions(), folder.sticky(), true);
        assertThat(mounted.othersCanWrite()).isFalse();
        assertThat(mounted.othersCanReplace()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "ann, ann, rwxr-xr-x, false",
        "root, bob, rwxr-xr-x, false",
        "ann, root, rwxrwxrwx, false", // made by the user in /tmp
        "bob, ann, rwxr-xr-x, false", // mounted into the folder of a container's user
        "bob, bob, rwxr-xr-x, true",
        "bob, root, rwxrwxrwx, true",
    })
    void a_folder_is_anothers_that_neither_is_the_users_nor_lies_where_the_user_alone_may_put_it(
            String owner, String ownerAbove, String permissionsAbove, boolean another) {
        assertThat(PluginOrigin.leftByAnotherUser(
                        permissions("rwxr-xr-x", owner, "staff", false),
                        permissions(permissionsAbove, ownerAbove, "staff", true),
                        "ann"))
                .isEqualTo(another);
    }

    @ParameterizedTest
    @CsvSource({
        "ann, bob, false", // the process's user
        "root, bob, false",
        "bob, bob, false", // mounted into a container, whose user is another one
        "bob, root, true",
        "bob, ann, true",
    })
    void a_jar_is_a_strangers_that_is_neither_roots_nor_the_users_nor_of_the_folders_owner(
            String owner, String ownerOfFolder, boolean stranger) {
        assertThat(PluginOrigin.isForeign(
                        permissions("rwxr-xr-x", owner, "staff", false),
                        permissions("rwxr-xr-x", ownerOfFolder, "staff", false),
                        "ann"))
                .isEqualTo(stranger);
    }
}
