/** Tests of the adapter: against google-cloud-spanner's own mock server, and against emulators. */
@NullMarked
package dev.spream.storage.spanner.client;

import org.jspecify.annotations.NullMarked;
