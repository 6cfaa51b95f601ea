package dev.spream.api.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of finding a path's mount among those that Linux lists. */
final class MountsTest {
    private static final Mounts MOUNTS = Mounts.parse("""
            30 45 8:1 / /srv/open\\040\\134folder rw,relatime shared:7 master:1 - ext4 /dev/sda1 rw
            27 1 8:1 / / ro,relatime shared:1 - ext4 /dev/sda1 rw
            45 27 8:1 /var/srv /srv rw,relatime - ext4 /dev/sda1 rw,errors=remount-ro
            46 45 8:1 /var/srv/volume /srv/volume ro,relatime - ext4 /dev/sda1 rw
            47 45 8:2 / /srv/disk rw,relatime - ext4 /dev/sdb1 ro
            48 45 0:7 / /srv/later rw - tmpfs  rw
            49 48 0:8 / /srv/later ro - tmpfs tmpfs rw
            50 45 0:9 / /srv/hidden/below ro - tmpfs tmpfs ro
            51 45 0:9 / /srv/hidden rw - tmpfs tmpfs rw
            """);

    @ParameterizedTest
    @CsvSource({
        "/home/ann/plugins, true", // as ProtectSystem=strict of systemd has it
        "/srv, false",
        "/srv/plugins, false", // of the same device: ReadWritePaths
        "/srv/volume, true",
        "/srv/volume/plugins/a.jar, true",
        "/srv/volumes, false",
        "/srv/disk/plugins, true", // its file system is read-only
        "/srv/open \\folder/plugins, false",
        "/srv/later/plugins, true", // two at one mount point
        "/srv/hidden/below, false", // the outer one was mounted last
    })
    void a_path_is_on_the_mount_that_the_kernel_comes_to(String path, boolean readOnly) {
        assertThat(MOUNTS.readOnly(path)).contains(readOnly);
    }

    @Test
    void without_a_root_nothing_is_known() {
        assertThat(Mounts.parse("46 45 8:1 / /srv ro - ext4 /dev/sda1 ro").readOnly("/srv"))
                .isEmpty();
    }
}
