// The part of an exported TypeScript module that is the same for every design: errors, options, calls and paging.
#pragma once

#include <string_view>

namespace trestle::design {

inline constexpr std::string_view kTypescriptRuntime = R"ts(export interface FieldFault {
  field: string;
  reason: string;
}

/** The body of an error response (application/problem+json). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  retryable: boolean;
  errors?: FieldFault[];
}

/** An error response. Subclasses correspond to status codes. */
export class ProblemError extends Error {
  readonly status: number;
  readonly retryable: boolean;
  readonly errors: FieldFault[];
  constructor(readonly problem: Problem, readonly retryAfterSeconds?: number) {
    super(problem.detail);
    this.name = new.target.name;
    this.status = problem.status;
    this.retryable = problem.retryable;
    this.errors = problem.errors ?? [];
  }
}
/** 400: an input is missing, unknown or invalid; `errors` names each. */
export class BadInputError extends ProblemError {}
/** 401: the token or API key is invalid, or missing where one is required. */
export class NotSignedInError extends ProblemError {}
/** 403 */
export class NotAllowedError extends ProblemError {}
/** 404 */
export class NotFoundError extends ProblemError {}
/** 409: a value is already taken, or the item is in another state or revision. The same call would fail again. */
export class ConflictError extends ProblemError {}
/** 410 */
export class ExpiredError extends ProblemError {}
/** 429: retry after `retryAfterSeconds`. */
export class LimitedError extends ProblemError {}
/** 503: the database is throttling or unreachable; retry. */
export class UnavailableError extends ProblemError {}

const kErrors: Record<number, new (problem: Problem, retryAfterSeconds?: number) => ProblemError> = {
  400: BadInputError,
  401: NotSignedInError,
  403: NotAllowedError,
  404: NotFoundError,
  409: ConflictError,
  410: ExpiredError,
  429: LimitedError,
  503: UnavailableError,
};

export interface ClientOptions {
  /** The base URL of the server: "http://127.0.0.1:8000". */
  url: string;
  /** A bearer token, or a function that returns one before each call. */
  token?: string | (() => string | undefined | Promise<string | undefined>);
  apiKey?: string;
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
}
export interface WriteOptions extends CallOptions {
  /** For 24 hours, the same key and inputs return the first answer again without repeating the write. */
  idempotencyKey?: string;
  /** The revision that the caller has seen; if the item has another one, the call throws a ConflictError. */
  ifMatch?: string;
}
export interface ListOptions {
  /** Items per page, 1 to 1000. */
  limit?: number;
  descending?: boolean;
}

export interface Page<T> {
  items: T[];
  /** The token of the next page; absent on the last. */
  next?: string;
}

/** A list: `for await (const item of list)` iterates over all pages; `page()` reads one page. */
export class Paged<T> implements AsyncIterable<T> {
  constructor(private readonly read: (next: string | undefined) => Promise<Page<T>>) {}
  page(next?: string): Promise<Page<T>> {
    return this.read(next);
  }
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let next: string | undefined;
    do {
      const page: Page<T> = await this.read(next);
      yield page;
      next = page.next;
    } while (next !== undefined);
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }
  async all(): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}

abstract class Caller {
  constructor(private readonly options: ClientOptions) {}

  protected async call<T>(path: string, inputs: object, options: WriteOptions = {}): Promise<T> {
    const headers: Record<string, string> = { 'Content-Type': 'application/json', Accept: 'application/json' };
    const { token, apiKey } = this.options;
    const bearer = typeof token === 'function' ? await token() : token;
    if (bearer !== undefined) headers['Authorization'] = `Bearer ${bearer}`;
    if (apiKey !== undefined) headers['X-Api-Key'] = apiKey;
    if (options.idempotencyKey !== undefined) headers['Idempotency-Key'] = options.idempotencyKey;
    if (options.ifMatch !== undefined) headers['If-Match'] = `"${options.ifMatch}"`;
    const send = this.options.fetch ?? fetch;
    const response = await send(this.options.url.replace(/\/+$/, '') + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(inputs),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    if (response.ok) return (await response.json()) as T;
    let problem: Problem;
    try {
      problem = (await response.json()) as Problem;
    } catch {
      problem = { type: 'about:blank', title: response.statusText, status: response.status, detail: response.statusText, retryable: response.status >= 500 };
    }
    const after = response.headers.get('Retry-After');
    const Kind = kErrors[response.status] ?? ProblemError;
    throw after === null ? new Kind(problem) : new Kind(problem, Number(after));
  }

  protected list<T>(path: string, inputs: object, options?: CallOptions): Paged<T> {
    return new Paged<T>((next) => this.call<Page<T>>(path, next === undefined ? inputs : { ...inputs, next }, options));
  }
}
)ts";

}  // namespace trestle::design
