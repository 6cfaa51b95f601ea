/** Tests of the mirror, on real servers. */
@NullMarked
package dev.spream.storage.jdbc.mirror;

import org.jspecify.annotations.NullMarked;
