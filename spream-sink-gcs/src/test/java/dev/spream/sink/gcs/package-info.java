/** The sink against Google's imitation of Cloud Storage in memory. */
@NullMarked
package dev.spream.sink.gcs;

import org.jspecify.annotations.NullMarked;
