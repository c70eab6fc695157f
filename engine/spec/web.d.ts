
// What JavaScript has besides ext and the language itself.

declare const console: {
  [level in "log" | "info" | "debug" | "trace" | "warn" | "error" | "group" | "groupCollapsed"]:
    (...values: any[]) => void;
} & {
  assert(condition: any, ...values: any[]): void;
  dir(value: any): void;
  table(value: any): void;
  groupEnd(): void;
  count(label?: string): void;
  countReset(label?: string): void;
  time(label?: string): void;
  timeLog(label?: string, ...values: any[]): void;
  timeEnd(label?: string): void;
};
declare const performance: { readonly timeOrigin: number; now(): number };
declare function setTimeout(fn: (...args: any[]) => any, ms?: number, ...args: any[]): number;
declare function setInterval(fn: (...args: any[]) => any, ms?: number, ...args: any[]): number;
declare function clearTimeout(id?: number): void;
declare function clearInterval(id?: number): void;
declare function queueMicrotask(fn: () => any): void;
declare function structuredClone<T>(value: T): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare const crypto: {
  randomUUID(): string;
  getRandomValues<T extends ArrayBufferView>(array: T): T;
};

declare class DOMException extends Error {
  constructor(message?: string, name?: string);
  readonly code: number;
}
declare class Event {
  constructor(type: string, init?: { bubbles?: boolean; cancelable?: boolean });
  readonly type: string;
  readonly target: EventTarget | null;
  readonly currentTarget: EventTarget | null;
  readonly bubbles: boolean;
  readonly cancelable: boolean;
  readonly defaultPrevented: boolean;
  readonly timeStamp: number;
  preventDefault(): void;
  stopPropagation(): void;
  stopImmediatePropagation(): void;
}
declare class CustomEvent<T = any> extends Event {
  constructor(type: string, init?: { detail?: T; cancelable?: boolean });
  readonly detail: T;
}
type EventListener = ((ev: any) => any) | { handleEvent(ev: any): any };
declare class EventTarget {
  addEventListener(type: string, fn: EventListener | null,
    options?: boolean | { once?: boolean; signal?: AbortSignal }): void;
  removeEventListener(type: string, fn: EventListener | null): void;
  dispatchEvent(ev: Event): boolean;
}
declare class AbortSignal extends EventTarget {
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((ev: Event) => any) | null;
  throwIfAborted(): void;
  static abort(reason?: any): AbortSignal;
  static timeout(ms: number): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
}
declare class AbortController { readonly signal: AbortSignal; abort(reason?: any): void; }

declare class Headers {
  /** A value is text, or what ext.secret gave. */
  constructor(init?: Headers | Iterable<[string, any]> | { [name: string]: any });
  append(name: string, value: any): void;
  set(name: string, value: any): void;
  get(name: string): string | null;
  has(name: string): boolean;
  delete(name: string): void;
  forEach(fn: (value: string, name: string, headers: Headers) => any, self?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare class URLSearchParams {
  constructor(init?: string | Iterable<[string, any]> | { [name: string]: any });
  readonly size: number;
  append(name: string, value: any): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: any): void;
  sort(): void;
  forEach(fn: (value: string, name: string, params: URLSearchParams) => any, self?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
  toString(): string;
}
declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  static parse(url: string | URL, base?: string | URL): URL | null;
  href: string; protocol: string; username: string; password: string;
  host: string; hostname: string; port: string;
  pathname: string; search: string; hash: string;
  readonly origin: string;
  readonly searchParams: URLSearchParams;
  toString(): string;
  toJSON(): string;
}
declare class TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array;
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(bytes?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}
declare class Blob {
  constructor(parts?: Iterable<any>, options?: { type?: string });
  readonly size: number;
  readonly type: string;
  slice(from?: number, to?: number, type?: string): Blob;
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array>;
  stream(): ReadableStream<Uint8Array>;
}
declare class File extends Blob {
  constructor(parts: Iterable<any>, name: string,
    options?: { type?: string; lastModified?: number });
  readonly name: string;
  readonly lastModified: number;
}
declare class FormData {
  append(name: string, value: any, filename?: string): void;
  set(name: string, value: any, filename?: string): void;
  delete(name: string): void;
  get(name: string): string | File | null;
  getAll(name: string): (string | File)[];
  has(name: string): boolean;
  forEach(fn: (value: string | File, name: string, form: FormData) => any, self?: any): void;
  entries(): IterableIterator<[string, string | File]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string | File>;
  [Symbol.iterator](): IterableIterator<[string, string | File]>;
}
interface ReadableStreamController<T> {
  readonly desiredSize: number;
  enqueue(chunk: T): void;
  close(): void;
  error(reason?: any): void;
}
interface ReadableStreamReader<T> {
  readonly closed: Promise<void>;
  read(): Promise<{ value: T; done: false } | { value: undefined; done: true }>;
  cancel(reason?: any): Promise<void>;
  releaseLock(): void;
}
declare class ReadableStream<T = any> {
  constructor(source?: {
    start?(c: ReadableStreamController<T>): any;
    pull?(c: ReadableStreamController<T>): any;
    cancel?(reason: any): any;
  }, strategy?: { highWaterMark?: number });
  readonly locked: boolean;
  getReader(): ReadableStreamReader<T>;
  cancel(reason?: any): Promise<void>;
  tee(): [ReadableStream<T>, ReadableStream<T>];
  pipeThrough(change: TextDecoderStream): ReadableStream<string>;
  pipeThrough(change: TextEncoderStream): ReadableStream<Uint8Array>;
  values(options?: { preventCancel?: boolean }): AsyncIterableIterator<T>;
  [Symbol.asyncIterator](): AsyncIterableIterator<T>;
  static from<T>(list: Iterable<T> | AsyncIterable<T>): ReadableStream<T>;
}
declare class TextDecoderStream {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  private readonly decodes: true;
}
declare class TextEncoderStream { private readonly encodes: true; }
interface Body {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly bodyUsed: boolean;
  text(): Promise<string>;
  json(): Promise<any>;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array>;
  blob(): Promise<Blob>;
  formData(): Promise<FormData>;
}
interface RequestInit {
  method?: string;
  headers?: any;
  body?: any;
  signal?: AbortSignal;
  redirect?: "follow";
  duplex?: "half";
}
declare class Request {
  constructor(input: string | URL | Request, init?: RequestInit);
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly signal: AbortSignal;
  clone(): Request;
}
interface Request extends Body {}
declare class Response {
  constructor(body?: any, init?: { status?: number; statusText?: string; headers?: any });
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly url: string;
  readonly redirected: boolean;
  readonly type: string;
  clone(): Response;
  static json(data: any, init?: { status?: number; headers?: any }): Response;
  static redirect(url: string | URL, status?: number): Response;
  static error(): Response;
}
interface Response extends Body {}
/**
 * Needs `@grant net:HOST`, as ext.http does. It answers when the headers have come; the body is a
 * stream, and a request whose body is not read ends with its handler.
 */
declare function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
