/**
 * The shared parts of this module: statements with a time limit, the mapping of the server's errors, migrations, and
 * the conversion of names and times between Java and PostgreSQL. Public for the packages of {@code
 * dev.spream.storage.jdbc} only; it may change in any release.
 */
@NullMarked
package dev.spream.storage.jdbc.internal;

import org.jspecify.annotations.NullMarked;
