package dev.spream.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HttpAddressTest {
    @Test
    void a_port_alone_is_of_this_machine() {
        assertThat(HttpAddress.parse("8080")).isEqualTo(new HttpAddress("127.0.0.1", 8080));
        assertThat(HttpAddress.parse("0")).isEqualTo(new HttpAddress("127.0.0.1", 0));
    }

    @Test
    void a_host_may_be_named() {
        assertThat(HttpAddress.parse("0.0.0.0:80")).isEqualTo(new HttpAddress("0.0.0.0", 80));
        assertThat(HttpAddress.parse("[::1]:80")).isEqualTo(new HttpAddress("::1", 80));
        assertThat(HttpAddress.parse("pod-1.example:80")).hasToString("pod-1.example:80");
        assertThat(HttpAddress.parse("[::1]:80")).hasToString("[::1]:80");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "http", ":80", "::1:80", "localhost:", "http://localhost:80", "80 ", "-1", "1000000"})
    void anything_else_is_refused(String text) {
        assertThatThrownBy(() -> HttpAddress.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("expected a port or host:port, such as 8080 or 0.0.0.0:8080");
    }

    @Test
    void a_port_that_cannot_be_is_refused() {
        assertThatThrownBy(() -> HttpAddress.parse("65536")).hasMessage("port 65536 is not between 0 and 65535");
    }
}
