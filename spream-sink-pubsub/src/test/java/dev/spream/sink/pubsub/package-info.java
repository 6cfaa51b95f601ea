/** The sink against a server in this process, which can fail on demand, and against Google's emulator where there is one. */
@NullMarked
package dev.spream.sink.pubsub;

import org.jspecify.annotations.NullMarked;
