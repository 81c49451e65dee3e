// What the client wants and Debian's Mono lacks: Polly, which it calls only where a policy of retries is set, and a
// Newtonsoft.Json newer than 6, of which it says how members are named that say it themselves.
namespace Polly
{
    using System;
    using System.Threading.Tasks;

    public enum OutcomeType { Successful }

    public class PolicyResult<T>
    {
        public OutcomeType Outcome { get; set; }
        public T Result { get; set; }
        public Exception FinalException { get; set; }
    }

    public interface ISyncPolicy<T> { }

    public interface IAsyncPolicy<T>
    {
        Task<PolicyResult<T>> ExecuteAndCaptureAsync(Func<Task<T>> action);
    }
}

namespace TrilhaClient
{
    public class CamelCaseNamingStrategy
    {
        public bool OverrideSpecifiedNames { get; set; }
    }

    public class DefaultContractResolver : Newtonsoft.Json.Serialization.DefaultContractResolver
    {
        public CamelCaseNamingStrategy NamingStrategy { get; set; }
    }
}
