export interface StartOptions {
  /** Port to listen on. The default, 0, picks a free one. */
  port?: number;
  /** Data folder. Without it the database is in memory, and is lost when the server stops. */
  data?: string;
  /** Region in ARNs, clientOptions and environment. The default is us-east-1. */
  region?: string;
  /** Files that define tables to create: CloudFormation, Terraform, CreateTable's JSON or a design, as for `trestle serve --tables`. */
  tables?: string | string[];
  /** Files of items to load into them, as for `trestle serve --seed`. */
  seed?: string | string[];
  /** Additional flags of `trestle serve`, such as ['--design', 'shop.yaml']. */
  flags?: string[];
  /** The program to run instead of the package's own. */
  program?: string;
  /** How long to wait until the server accepts requests. The default is 30,000. */
  timeoutMs?: number;
}

export interface RunningServer {
  /** The server's URL, such as http://127.0.0.1:40123. */
  readonly endpoint: string;
  readonly port: number;
  readonly pid: number;
  /** Options for the clients of the AWS SDK for JavaScript: new DynamoDBClient(server.clientOptions). */
  readonly clientOptions: {
    endpoint: string;
    region: string;
    credentials: { accessKeyId: string; secretAccessKey: string };
  };
  /** Environment variables with which an unchanged program uses this server. */
  readonly environment: Record<string, string>;
  /** Removes everything, and creates the initial tables and items again. Only without `data`. */
  reset(): Promise<void>;
  /** Stops the server; resolves when its process has ended. May be called more than once. */
  stop(): Promise<void>;
}

/**
 * Starts a server on a free port with an empty database in memory, and resolves when it accepts requests.
 * The server stops with stop(), or when this process ends. It does not keep this process running.
 */
export function start(options?: StartOptions): Promise<RunningServer>;

/** The path of the program: TRESTLE_BINARY, or the one in this package. */
export function program(): string;
