package dev.spream.api.publish;

/**
 * A message of a change in a batch.
 *
 * @param change the index of the change
 * @param message the message to publish
 * @param bytes its share of the size of a request
 */
record LaneMessage<M>(int change, M message, int bytes) {}
