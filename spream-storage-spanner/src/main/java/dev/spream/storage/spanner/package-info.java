/**
 * Adapters to the google-cloud-spanner client. {@link dev.spream.storage.spanner.SpannerChangeStreamSource} reads
 * change streams of databases of both dialects; read it first. {@link
 * dev.spream.storage.spanner.SpannerPartitionStorage} stores partitions in a database of either dialect, in tables that
 * {@link dev.spream.storage.spanner.SpannerPartitionTables} creates or adopts; {@link
 * dev.spream.storage.spanner.BeamExport} exports them to Apache Beam. {@link
 * dev.spream.storage.spanner.SpannerConnection} builds a client that several parts can share. Types of the client are
 * part of the API where a caller passes its own client; no other adapter uses them.
 */
@NullMarked
package dev.spream.storage.spanner;

import org.jspecify.annotations.NullMarked;
