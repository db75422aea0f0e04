import 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    trestleEndpoint: string;
  }
}

export function setup(project: {
  provide(key: 'trestleEndpoint', value: string): void;
  config?: { root: string };
}): Promise<() => Promise<void>>;
