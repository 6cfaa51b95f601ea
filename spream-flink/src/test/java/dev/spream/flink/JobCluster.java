package dev.spream.flink;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A cluster of two task managers in this JVM, with two slots each: a job of four subtasks needs both. */
public final class JobCluster implements AutoCloseable {
    private static final int CHECKPOINT_MILLIS = 300;

    private final MiniCluster cluster;

    private JobCluster(MiniCluster cluster) {
        this.cluster = cluster;
    }

    static JobCluster start() throws Exception {
        MiniCluster cluster = notStarted(new Configuration());
        cluster.start();
        return new JobCluster(cluster);
    }

    static MiniCluster notStarted(Configuration configuration) {
        configuration.setString("rest.bind-port", "0");
        return new MiniCluster(new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(2)
                .setNumSlotsPerTaskManager(2)
                .build());
    }

    /** Returns an environment whose jobs have checkpoints in that folder, and start again after a failure. */
    static StreamExecutionEnvironment environment(Path directory, int parallelism) {
        Configuration configuration = restarting(directory);
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(parallelism);
        environment.enableCheckpointing(CHECKPOINT_MILLIS);
        return environment;
    }

    /** Returns the options of a job that starts again after a failure, from its last checkpoint in that folder. */
    public static Configuration restarting(Path directory) {
        Configuration configuration = new Configuration();
        configuration.setString("restart-strategy.type", "fixed-delay");
        configuration.setString("restart-strategy.fixed-delay.attempts", "20");
        configuration.setString("restart-strategy.fixed-delay.delay", "200 ms");
        configuration.setString("execution.checkpointing.interval", CHECKPOINT_MILLIS + " ms");
        configuration.setString("execution.checkpointing.dir", directory.toUri().toString());
        return configuration;
    }

    JobID submit(StreamExecutionEnvironment environment) throws Exception {
        return cluster.submitJob(environment.getStreamGraph().getJobGraph())
                .get()
                .getJobID();
    }

    JobID submit(StreamExecutionEnvironment environment, String savepoint) throws Exception {
        JobGraph graph = environment.getStreamGraph().getJobGraph();
        graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
        return cluster.submitJob(graph).get().getJobID();
    }

    /** Kills a task manager, and starts one in its place. */
    void replaceTaskManager() throws Exception {
        cluster.terminateTaskManager(0).get();
        cluster.startTaskManager();
    }

    /** Stops the job with a savepoint in that folder; returns its path. */
    String stopWithSavepoint(JobID job, Path directory) throws Exception {
        return cluster.stopWithSavepoint(job, directory.toUri().toString(), false, SavepointFormatType.CANONICAL)
                .get();
    }

    /** Fails if the job has ended. */
    void requireRunning(JobID job) throws Exception {
        if (cluster.getJobStatus(job).get().isTerminalState()) {
            cluster.requestJobResult(job).get().toJobExecutionResult(getClass().getClassLoader());
            throw new AssertionError("the job has ended");
        }
    }

    /** Waits until the job has ended; returns its status. */
    JobStatus awaitEnd(JobID job, Duration patience) throws Exception {
        return cluster.requestJobResult(job)
                .get(patience.toMillis(), TimeUnit.MILLISECONDS)
                .getJobStatus()
                .orElseThrow();
    }

    void cancel(JobID job) throws Exception {
        cluster.cancelJob(job).get();
    }

    @Override
    public void close() throws Exception {
        cluster.close();
    }
}
