//! What single files tell, and how facts are found.

use super::*;

/// The facts of a file; the names beside it follow its path.
pub(super) fn found(path: &str, text: &str) -> Facts {
    let mut names = path.split(' ');
    let path = names.next().unwrap();
    read(&Source { path, text, beside: &names.map(str::to_owned).collect() })
}

/// Each is its kind, its text, its line, its risk.
fn told(path: &str, text: &str) -> Vec<String> {
    let risk = |fact: &Fact| fact.risk.map_or(String::new(), |risk| format!(" !{risk}"));
    let all = found(path, text).all.into_iter();
    all.map(|fact| format!("{} {} {}{}", fact.kind, fact.text, fact.line, risk(&fact))).collect()
}

/// Each case: a path, the text of the file, and its facts.
#[test]
fn each_file_says_its_facts() {
    for case in [
        &[
            "airflow.cfg",
            "[core]\nexecutor = CeleryExecutor\nfernet_key = abc\nparallelism = 16\n[celery]\nworker_concurrency = 8\n[webserver]\nsecret_key = x\n",
            "variable Airflow `[core]`: `executor = CeleryExecutor`, `parallelism = 16` 2",
            "variable Airflow `[celery]`: `worker_concurrency = 8` 6",
        ][..],
        &[
            "build.gradle.kts",
            "plugins {\n  id(\"com.android.application\")\n  id(\"com.github.triplet.play\")\n}\nversionCode = 7\nstorePassword = System.getenv(\"KEY_PASSWORD\")\nkeyAlias = System.getenv(\"KEY_ALIAS\") ?: \"hunter2\"\nserviceAccountCredentials.set(file(System.getenv(\"PLAY_JSON\") ?: \"play.json\"))\n",
            "release.command `./gradlew publishReleaseBundle` uploads the app to the Play Store 3 !publishes",
            "variable Android `versionCode = 7` 5",
            "variable the key that signs the app is read from `KEY_PASSWORD`, `KEY_ALIAS` 6",
            "variable the credentials of the Play Store are read from `PLAY_JSON` 8",
            "lang Kotlin/Java 0",
            "test.command `gradle test` runs the tests 0",
        ],
        &[
            "build.gradle.kts",
            "id(\"com.android.application\")\nid(\"com.github.triplet.play\") version \"3\" apply false\n",
            "lang Kotlin/Java 0",
            "test.command `gradle test` runs the tests 0",
        ],
        &[
            "gradle.properties",
            "org.gradle.jvmargs=-Xmx4g\nVERSION_CODE=40217\napp.versionName=4.2.17\nkotlinVersion=2.0\n",
            "variable Android `VERSION_CODE=40217` 2",
            "variable Android `app.versionName=4.2.17` 3",
        ],
        &[
            "composer.json",
            "{\"require\": {\"php\": \"^8.3\", \"laravel/framework\": \"^11.0\"}, \"require-dev\": {\"laravel/pint\": \"^1.0\"},\n\"scripts\": {\"lint\": \"pint --test\", \"post-install-cmd\": \"x\"}}",
            "lang PHP `^8.3` 1",
            "framework `laravel/framework` ^11.0 1",
            "lint.config `laravel/pint` ^1.0 1",
            "lint.command `composer lint`: `pint --test` 2",
            "test.command `php artisan test` runs the tests 0",
        ],
        &[
            "dbt_project.yml",
            "name: shop\nmodels:\n  shop:\n    staging:\n      +materialized: view\n    marts:\n      daily:\n        +materialized: incremental\n        +incremental_strategy: insert_overwrite\n        +partition_by: {field: event_date, data_type: date}\nvars:\n  start_date: null\n  api_token: abc\n  shop:\n    days: 2\n",
            "framework dbt project `shop` 1",
            "framework dbt: `staging` is materialized as `view` 5",
            "framework dbt: `daily` is materialized as `incremental` 8",
            "framework dbt: `daily` has `incremental_strategy: insert_overwrite`, `partition_by: event_date` 9",
            "framework dbt variables `start_date`, `api_token`, `days: 2` 11",
        ],
        &[
            "settings.py",
            "SECRET_KEY = \"x\"\nDATABASES = {\"default\": {\"PASSWORD\": \"hunter2\", \"OPTIONS\": {\"options\": \"-c lock_timeout=3000\"}}}\nBIG_TABLES = [\"orders_order\"]\nDEBUG = False\nATOMIC_REQUESTS = True\n",
            "variable Django: `lock_timeout=3000` 2",
            "variable Django: `BIG_TABLES = [\"orders_order\"]` 3",
            "variable Django: `ATOMIC_REQUESTS = True` 5",
        ],
        &[
            "compose.yml",
            "services:\n  worker:\n    image: apache/airflow:2.9.3\n    command: celery worker -q default\n  redis:\n    image: redis:7\n    command: [redis-server, --requirepass, hunter2]\n",
            "service service `worker` runs `apache/airflow:2.9.3`, started with `celery worker -q default` 2",
            "service service `redis` runs `redis:7` 5",
        ],
        &[
            "Api.csproj",
            "<Project Sdk=\"Microsoft.NET.Sdk.Web\">\n <TargetFramework>net8.0</TargetFramework>\n <ItemGroup><PackageReference Include=\"FluentValidation\" Version=\"11.9.0\" /><PackageReference Include=\"Serilog\" Version=\"4.0.0\" /></ItemGroup>\n</Project>\n",
            "lang C#, `net8.0`, ASP.NET Core 2",
            "framework `FluentValidation` 11.9.0 3",
            "framework `Serilog` 4.0.0 3",
        ],
        &[
            "global.json",
            "{ \"sdk\": { \"version\": \"6.0.424\", \"rollForward\": \"latestFeature\" } }",
            "framework .NET SDK `6.0.424`, `rollForward: latestFeature` 1",
        ],
        &[
            "Directory.Build.props",
            "<TargetFrameworks>net8.0;netstandard2.0</TargetFrameworks>\n<TreatWarningsAsErrors>true</TreatWarningsAsErrors>\n",
            "lang C#, `net8.0`, `netstandard2.0` 1",
            "lint.config `TreatWarningsAsErrors: true` 2",
        ],
        &["a/A.csproj", "<TargetFramework>$(Base)</TargetFramework>\n<Nullable>enable</Nullable>"],
        &[
            "fastlane/Fastfile",
            "default_platform(:ios)\nplatform :ios do\n  desc \"Build and upload to TestFlight\"\n  lane :beta do\n    upload_to_testflight(api_key: ENV[\"ASC_KEY\"])\n  end\n  desc \"Run unit tests\"\n  lane :check do\n    run_tests\n  end\n  private_lane :helper do\n    supply\n  end\nend\nplatform :android do\n  lane :ship do |options|\n    sh(\"git push origin main\")\n  end\nend\n",
            "release.command `bundle exec fastlane beta` Build and upload to TestFlight 4 !publishes",
            "lint.command `bundle exec fastlane check` Run unit tests 8",
            "release.command `bundle exec fastlane android ship` 16 !publishes",
            "variable fastlane reads `ASC_KEY` 5",
        ],
        &[
            "build.gradle.kts gradlew",
            "plugins {\n  id(\"org.springframework.boot\") version \"3.3.4\"\n}\njava { toolchain { languageVersion = JavaLanguageVersion.of(21) } }\ndependencies {\n  testImplementation(\"org.mockito:mockito-core:5.12.0\")\n}\n",
            "framework `org.springframework.boot` 3.3.4 2",
            "test.plugin `org.mockito:mockito-core:5.12.0` 6",
            "lang Java `21` 4",
            "test.command `./gradlew test` runs the tests 0",
        ],
        &[
            "build.gradle gradlew",
            "tasks.register('replay', JavaExec) {\n  description = 'Replays a dead letter topic'\n}\ntasks.register<Exec>(\"deployDocs\") {\n}\ntask smoke(type: Test) {\n}\n",
            "lang Java 0",
            "test.command `./gradlew test` runs the tests 0",
            "command `./gradlew replay` Replays a dead letter topic 1",
            "deploy.command `./gradlew deployDocs` 4 !deploys",
            "command `./gradlew smoke` 6",
        ],
        &[
            "tools/dlt/build.gradle.kts",
            "task smoke(type: Test) {\n}\n",
            "lang in `tools/dlt`: Java 0",
            "command in `tools/dlt`: `./gradlew :tools:dlt:smoke` 1",
        ],
        &[
            "wallet/build.gradle.kts",
            "plugins { alias(libs.plugins.android.library) }\n",
            "lang in `wallet`: Kotlin/Java 0",
        ],
        &["wallet/build.gradle.kts", "plugins { alias(libs.plugins.kotlin.android) }\n", "lang in `wallet`: Kotlin 0"],
        &[
            "pom.xml",
            "<java.version>17</java.version>\n<artifactId>spring-boot-starter-data-jpa</artifactId>\n<artifactId>kotlin-maven-plugin</artifactId>\n<version>2.0.0</version>\n",
            "framework `spring-boot-starter-data-jpa` 2",
            "lang Kotlin, Java `17` 1",
            "test.command `mvn test` runs the tests 0",
        ],
        &[
            "Gemfile",
            "gem \"rails\", \"~> 7.1\"\ngroup(:test) { gem \"rspec-rails\", \"~> 6.1\" }\n",
            "framework `rails` ~> 7.1 1",
            "test.plugin `rspec-rails` ~> 6.1 2",
            "lang Ruby 0",
            "test.command `bundle exec rspec` runs the tests 0",
        ],
        &[
            "Package.swift",
            "// swift-tools-version: 6.0\nimport PackageDescription\n",
            "lang Swift `6.0` 1",
            "build.command `swift build` 0",
            "test.command `swift test` 0",
        ],
        &["App.xcodeproj/project.pbxproj", "/* Main.swift in Sources */\n", "lang in `App.xcodeproj`: Swift 1"],
        &[
            "App/Info.plist",
            "<key>CFBundleVersion</key><string>1842</string>\n<key>CFBundleShortVersionString</key>\n<string>$(V)</string>\n",
            "variable in `App`: `CFBundleVersion = 1842` 1",
        ],
        &[
            "config/deploy.yml",
            "service: billing\nenv:\n  secret: [RAILS_MASTER_KEY]\n",
            "variable Kamal hands `RAILS_MASTER_KEY` to the containers 3",
        ],
        &[
            "pubspec.yaml",
            "version: 3.4.0+128\ndev_dependencies:\n  mocktail: ^1.0.0\n",
            "lang Dart 0",
            "variable version `3.4.0+128` 1",
            "test.command `dart test` 0",
            "lint.command `dart analyze` 0",
            "test.plugin `mocktail` ^1.0.0 3",
        ],
        &[
            "main.tf",
            "terraform {\n  required_version = \">= 1.7\"\n  required_providers {\n    aws = { source = \"hashicorp/aws\", version = \"~> 5.40\" }\n    tls = {\n      source = \"hashicorp/tls\"\n      version = \"4.0\"\n    }\n  }\n}\n",
            "framework Terraform `>= 1.7` 2",
            "framework Terraform provider `aws` `~> 5.40` 4",
            "framework Terraform provider `tls` `4.0` 7",
        ],
        &[
            "package.json",
            "{\"dependencies\": {\"fabric\": \"^5.3.0\", \"@trpc/server\": \"^10.45.0\", \"debug\": \"^4\", \"@types/ms\": \"2\"}}\n",
            "lang TypeScript 0",
            "dependency `fabric` ^5.3.0 1",
            "dependency `@trpc/server` ^10.45.0 1",
            "dependency `@types/ms` 2 1",
        ],
        &[
            "go.mod",
            "module example.com/x\n\nrequire (\n\tgithub.com/riverqueue/river/v2 v2.1.0\n\tgithub.com/x/y v1.0.0 // indirect\n)\n\nreplace example.com/z => ../z\n",
            "dependency `github.com/riverqueue/river/v2` v2.1.0 4",
        ],
        &[
            ".gitlab/merge_request_templates/Default.md",
            "## Why\n\n<!-- Please describe the change. Link the issue as \"Part of #12\"; we close issues by hand. -->\n- [ ] size before and after\n",
            "gh.pr-template a pull request has the sections \"Why\" 1",
            "rule Link the issue as \"Part of #12\"; we close issues by hand. 3",
            "gh.pr-template checklist of a pull request: size before and after 4",
        ],
        &[
            ".github/workflows/ci.yml",
            "on:\n  push:\n    branches: [trunk]\n  pull_request:\njobs: {}\n",
            "ci.job workflow `ci.yml` runs on push to `trunk`, pull_request 1",
        ],
        &["README.md", "# Kiosk\n\nThe kiosk of the museum, in Rust. Tickets stay on the device for one day only.\n"],
        &[
            "commitlint.config.js",
            "module.exports = { rules: { 'scope-enum': [2, 'always', ['core', 'ui']] } };\n",
            "lint.config commitlint is configured in `commitlint.config.js` 0",
            "lint.config commitlint: `scope-enum: [2, always, [core, ui]]` 1",
        ],
    ] {
        let [path, text, wanted @ ..] = case else { panic!("a path and a text") };
        assert_eq!(told(path, text), wanted, "{path}");
    }
}

#[test]
fn a_file_says_how_programs_are_run_and_which_languages_are_used() {
    let composer = found("composer.json", "{\"require\": {\"php\": \"^8.3\"}}");
    assert_eq!(composer.runner("pint"), "vendor/bin/pint");
    let gradle = found("build.gradle gradlew", "plugins { id(\"application\") }\n");
    assert_eq!((gradle.runner("gradle"), gradle.languages().collect::<Vec<_>>()), ("./gradlew", vec!["java"]));
    let maven = found("pom.xml", "<artifactId>kotlin-maven-plugin</artifactId>\n");
    assert_eq!(maven.languages().collect::<Vec<_>>(), ["kotlin", "java"]);
    let net =
        found("Directory.Build.props", "<TargetFramework>net8.0</TargetFramework>\n<Nullable>enable</Nullable>\n");
    assert!(net.all.iter().all(|fact| fact.words.contains(&"net".to_owned())), "{net:?}");
    let lane = found("ios/fastlane/Fastfile", "lane :beta do\nend\n").all.remove(0);
    assert_eq!(lane.text, "in `ios`: `bundle exec fastlane beta`");
    assert_eq!(lane.command.as_deref(), Some("(cd ios && bundle exec fastlane beta)"));
}

fn known() -> Facts {
    let fact = |kind, text: &str, id: &str| Fact::new(kind, text).id(id).about(text).at("a.toml", 3);
    Facts {
        all: vec![
            fact(Kind::Language, "Python", "lang-python"),
            fact(Kind::Rule, "Every skipped test names an issue.", ""),
            fact(Kind::CiTest, "job `tests`", "ci-reruns"),
        ],
        runners: BTreeMap::from([("pytest".into(), "tox -e py312 --".into())]),
        office: false,
    }
}

#[test]
fn facts_are_found_by_id_kind_and_what_a_pack_wants() {
    let facts = known();
    assert!(facts.has("ci-reruns") && !facts.has("ci"));
    assert_eq!(facts.languages().collect::<Vec<_>>(), ["python"]);
    assert_eq!((facts.runner("pytest"), facts.runner("cargo")), ("tox -e py312 --", "cargo"));
    let wanted = |want: &str| facts.wanted(want).map(|fact| fact.kind).collect::<Vec<_>>();
    assert_eq!(wanted("ci.test"), [Kind::CiTest]);
    assert_eq!(wanted("ci"), [Kind::CiTest]);
    assert_eq!(wanted("rule.test"), [Kind::Rule]);
    assert_eq!(wanted("rule.release"), []);
    assert_eq!(facts.all[0].place(), "a.toml:3");
}
