/**
 * Adapters to the google-cloud-spanner client. {@link dev.spream.storage.spanner.SpannerChangeStreamSource} reads change
 * streams of databases of both dialects; read it first. {@link dev.spream.storage.spanner.SpannerPartitionStorage}
 * remembers partitions in a database of either, in tables that {@link
 * dev.spream.storage.spanner.SpannerPartitionTables} makes or adopts; {@link dev.spream.storage.spanner.BeamExport} hands
 * them back. {@link dev.spream.storage.spanner.SpannerConnection} builds a client that several parts can share. Types of the
 * client appear where a caller hands its own client in; no other adapter knows them.
 */
@NullMarked
package dev.spream.storage.spanner;

import org.jspecify.annotations.NullMarked;
