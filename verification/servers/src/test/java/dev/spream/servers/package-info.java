/** The rules of the servers of tests. */
@NullMarked
package dev.spream.servers;

import org.jspecify.annotations.NullMarked;
