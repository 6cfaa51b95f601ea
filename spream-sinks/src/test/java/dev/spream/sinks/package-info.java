/** Tests of the sinks that come with spream: what they write, and what they hold when a disk, a server or the process fails. */
@NullMarked
package dev.spream.sinks;

import org.jspecify.annotations.NullMarked;
